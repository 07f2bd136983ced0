package survival

import "testing"

// Pairs of an item and a report that says the opposite with its words.
var contradictions = [][2]string{
	{"Customer data is not encrypted at rest", "All customer data is encrypted at rest and in transit."},
	{"Customer data is encrypted at rest", "Customer data is not encrypted at rest."},
	{"The vendor never responded to our query.", "The vendor responded to our query within two days."},
	{"Backups are tested every month.", "Backups have never been tested, this month or before."},
	{"The API requires authentication.", "The API does not require any authentication."},
	{"No rollback plan exists.", "A rollback plan exists and was rehearsed in May."},
	{"The trial did not reach its primary endpoint.", "The trial reached its primary endpoint (p = 0.01)."},
	{"Employees may not work remotely.", "Employees may work remotely up to three days a week."},
	{"The contract has no termination clause.", "The contract has a termination clause (section 9) with 30 days' notice."},
	{"There is no evidence of fraud.", "We found evidence of fraud in two ledgers."},
	{"The cache is invalidated on every write.", "The cache isn't invalidated on writes."},
	{"The bridge cannot carry trucks over 10 tonnes.", "The bridge can carry trucks over 10 tonnes."},
	{"Nobody reviewed the change.", "Two engineers reviewed the change before it was merged."},
	{"The seller did not disclose the lawsuit.", "The seller disclosed the lawsuit in schedule 4."},
	{"The firm has insurance for cyber incidents.", "The firm has no insurance for cyber incidents."},
	{"The patch fixes the memory leak.", "The patch does not fix the memory leak."},
	{"Logging is off by default.", "Logging is on by default."},
	{"Users can delete their own accounts.", "Users cannot delete their own accounts; support does it."},
	{"The pipeline is deterministic.", "The pipeline is not deterministic: two runs differ."},
	{"The tank was leaking at inspection.", "The tank was not leaking at the inspection."},
	{"Samples were refrigerated during transport.", "Samples were left unrefrigerated during transport."},
	{"Neither pilot raised concerns.", "Both pilots raised concerns."},
	{"The dam meets the safety standard.", "The dam does not meet the safety standard."},
	{"Access is restricted to administrators.", "Access is not restricted to administrators; any user can log in."},
	{"The dataset includes minors.", "The dataset excludes minors."},
	{"Staff were aware of the new policy.", "Staff were unaware of the new policy."},
	{"The board approved the budget for 2026.", "The board rejected the budget for 2026."},
	{"Sales rose in the northern region.", "Sales fell in the northern region."},
	{"The site has not been inspected since 2021.", "The site has been inspected every year since 2021, most recently in May."},
	{"Payments are not retried after a timeout.", "After a timeout, payments are retried up to five times."},
	{"The lab didn't calibrate the scales before the run.", "The scales were calibrated by the lab before the run, as they should be."},
	{"Refunds over 100 euros need a second signature.", "Refunds over 100 euros do not need a second signature, though a note is usual."},
	{"The mayor was not told of the spill.", "The mayor was told of the spill the same evening; she did not reply."},

	{"Staff aren't required to wear eye protection in hall 2.", "Eye protection is mandatory in hall 2, for staff and visitors alike."},
	{"The drift alarm led to a retraining of the model.", "The drift alarm did not lead to a retraining of the model; the old weights stayed in place."},
	{"The insurer covers flood damage.", "Flood damage is excluded from what the insurer covers."},
	{"Trains on the north line run at night.", "There are no trains on the north line at night."},
	{"Parents were informed of the incident.", "The school has yet to inform the parents of the incident."},
	{"The review found no sign of corrosion.", "The review found signs of corrosion at two welds."},
	{"Two suppliers did not answer the questionnaire.", "Both suppliers answered the questionnaire within a week, if briefly."},
	{"It's impossible to restore single files from the snapshot.", "Single files can be restored from the snapshot."},
	{"The measure had an effect on traffic.", "The measure had no effect on traffic."},
	{"The old pump was replaced in May.", "The old pump was kept in service in May and not replaced."},
	{"The mill no longer discharges water into the stream.", "The mill discharges water into the stream every night, as two residents filmed."},
	{"The team did not run the load test against the new build.", "Before the release the team ran the load test against the new build, twice, and kept the logs."},
	{"The museum was not insured at the time of the fire.", "At the time of the fire the museum was insured for twelve million."},
	{"The lease may be terminated with 60 days notice.", "The lease cannot be terminated, with 60 days notice or otherwise."},
	{"The supplier holds an ISO 27001 certificate.", "The supplier holds no ISO 27001 certificate."},
	{"All 26 pods restarted after the rollback.", "After the rollback, none of the 26 pods restarted."},
	{"All 26 pods restarted after the rollback.", "Not all of the 26 pods restarted after the rollback."},
	{"None of the 26 pods restarted after the rollback.", "All 26 pods restarted after the rollback."},
	{"None of the 26 pods restarted after the rollback.", "After the rollback the 26 pods restarted one by one."},
	{"The fund can invest in tobacco.", "The fund must not invest in tobacco."},
	{"The scheduler calls the billing service.", "The billing service calls the scheduler."},
	{"Arden Foods sued Bellweather Farms.", "Bellweather Farms sued Arden Foods in March."},
	{"Arden Foods acquired Bellweather Farms.", "Arden Foods was acquired by Bellweather Farms."},
	{"The index is rebuilt before the cache is cleared.", "The index is rebuilt after the cache is cleared."},
	{"The index is rebuilt before the cache is cleared.", "The cache is cleared before the index is rebuilt."},
	{"The timeout went from 30 seconds to 90 seconds.", "The timeout went from 90 seconds to 30 seconds."},
	{"The Harwick plant is larger than the Senna plant.", "The Senna plant is larger than the Harwick plant."},
	{"The replica sends its writes to the primary.", "The primary sends its writes to the replica."},
	{"The tenant pays the landlord a deposit.", "The landlord pays the tenant a deposit."},

	{"The reactor was shut down by an operator error.", "It was first reported that the reactor was shut down by an operator error; this is false."},
	{"The tank ruptured at noon.", "Claims that the tank ruptured at noon are not supported by the data."},
	{"The tank ruptured at noon.", "An earlier draft of this report said that the tank ruptured at noon."},
	{"The supplier shipped counterfeit parts.", "Rumours that the supplier shipped counterfeit parts proved to be unfounded."},
	{"The supplier shipped counterfeit parts.", "The interim memo stated that the supplier shipped counterfeit parts. This has been withdrawn."},
	{"The supplier shipped counterfeit parts.", "The press wrote that the supplier shipped counterfeit parts. That is wrong: the parts were genuine."},
	{"The supplier shipped counterfeit parts.", "We first thought that the supplier shipped counterfeit parts, but the tests showed otherwise."},
	{"The supplier shipped counterfeit parts.", "It is not true that the supplier shipped counterfeit parts."},
	{"The supplier shipped counterfeit parts.", "The allegation that the supplier shipped counterfeit parts was dismissed after an audit."},
	{"The supplier shipped counterfeit parts.", "Some say the supplier shipped counterfeit parts. We found no evidence for this."},
	{"The supplier shipped counterfeit parts.", "Retracted: the supplier shipped counterfeit parts."},
	{"The supplier shipped counterfeit parts.", "## Withdrawn findings\n\n- The supplier shipped counterfeit parts.\n"},
	{"The supplier shipped counterfeit parts.", "The supplier shipped counterfeit parts, according to the first audit. The second audit disproved this."},
	{"The supplier shipped counterfeit parts.", "The following statements of the draft are wrong:\n\n- The audit took a week.\n- The supplier shipped counterfeit parts.\n"},
	{"The supplier shipped counterfeit parts.", "Could it be that the supplier shipped counterfeit parts? The inspection ruled that out."},
	{"The supplier shipped counterfeit parts.", "One hypothesis was that the supplier shipped counterfeit parts. It did not survive the inspection."},
	{"The smallest sites found the audit hardest.", "The smallest sites found the audit easiest."},
	{"The parents passed the forms to the clerks.", "The clerks handed the forms to the parents."},
	{"Tenants prefer the old boiler.", "It is often said that tenants prefer the old boiler. The figures show no such thing."},
	{"Wardens were able to reach the roof by the stair.", "Wardens could not reach the roof by the stair, although all other ways were open."},
}

// Pairs of an item and a report that says the same, or says it plainly somewhere.
var agreements = [][2]string{
	{"Customer data is not encrypted at rest", "Encryption at rest is missing: customer data is not encrypted on disk or at rest."},
	{"The Crestline payoff letter has not been received", "No payoff letter was received from Crestline so far."},
	{"The audit log does not record failed logins.", "Failed logins are not recorded in the audit log."},
	{"Foreign key checks are switched off during the load.", "Foreign key checks are not active during the load."},
	{"The backup is encrypted at rest.", "The backup is encrypted at rest. The log archive is not encrypted at rest."},
	{"The log archive is not encrypted at rest.", "The backup is encrypted at rest. The log archive is not encrypted at rest."},
	{"Debug logging is disabled in production.", "Debug logging is not enabled in production."},
	{"Debug logging is disabled in production.", "In production, debug logging is switched off."},
	{"Debug logging is enabled in production.", "Debug logging is on in production, and can be turned off for a day."},
	{"The loading door stays closed at night.", "The loading door is never open at night."},
	{"Training is optional for contractors on the site.", "Training on the site is not mandatory for contractors."},
	{"Telemetry is off by default.", "By default, telemetry is not on."},
	{"The inlet valve was open during the test.", "During the test the inlet valve had not been closed."},
	{"Telemetry was switched off on Monday and back on by Friday.", "Telemetry was off from Monday; on Friday it was turned on again."},
	{"The supplier shipped counterfeit parts.", "The supplier shipped counterfeit parts. They were discarded, and the press threw errors for a day."},
	{"The supplier shipped counterfeit parts.", "The supplier shipped counterfeit parts. It returned errors when asked for papers."},
	{"The first version of the API had a bug in paging.", "The first version of the API had a bug in paging."},
	{"The load test was throttled at 200 requests per second, not 250", "The contract says 250 requests per second, but the load test was throttled at 200, and our peak of 180 fits."},
	{"Refunds need a second signature.", "Refunds need a second signature. Exchanges do not need a second signature."},
	{"The scheduler calls the billing service.", "On every tick the billing service is called by the scheduler."},
	{"Arden Foods acquired Bellweather Farms.", "In May, Bellweather Farms was acquired by Arden Foods."},
	{"The index is rebuilt before the cache is cleared.", "The cache is cleared after the index is rebuilt."},
	{"The index is rebuilt before the cache is cleared.", "Before the cache is cleared, the index is rebuilt."},
	{"The Harwick plant is larger than the Senna plant.", "The Senna plant is smaller than the Harwick plant."},
	{"The claim that the tank ruptured is false.", "It was reported that the tank ruptured; this claim is false."},
	{"The supplier shipped counterfeit parts.", "The supplier denies it, but the supplier shipped counterfeit parts."},
	{"The supplier shipped counterfeit parts.", "The supplier shipped counterfeit parts.\n\nA press release claims that the supplier shipped counterfeit parts is false."},
	{"Payments over 10,000 are refused no later than the next day.", "Payments over 10,000 are refused by the next day at the latest, no later."},
	{"The team not only wrote the parser but tested it.", "The team wrote the parser and tested it."},
	{"Only nine engineers can maintain the engine.", "The engine can be maintained by only nine engineers."},
	{"No federal liens were found for Pinnacle in the county search.", "The county search for Pinnacle found no federal liens."},
	// Another subject of the same words.
	{"No federal tax liens were found for Harwick Mills in the county search.", "A full search of the federal tax lien indices of the county was made for Harwick Mills, and nothing was found."},
	{"The state tax lien does not attach to personal property of Harwick in the county.", "Under the code a judgment lien on personal property attaches to the property in the county. Of Harwick there is a state tax lien, on land alone."},
	{"The leaflet does not include dosing for children, pregnant women, or patients over 80.", "The study was run in all regions, with dosing arms for children, pregnant women, and patients over 80. The leaflet came later."},
	{"The seller requires the escrow agreement to include limitation provisions on claims.", "The escrow agreement that the seller requires must include provisions such as, but not limited to, limitation of claims."},
	{"The company has not adopted a privacy policy.", "The company must adopt a privacy policy within 90 days. It has not adopted a privacy policy yet."},
}

func TestSurvivalContradicted(t *testing.T) {
	for _, c := range contradictions {
		if r := check(t, Item{ID: "e1", Why: WhyMustSurface, Content: c[0]}, c[1]); r.Cause != MissContradicted {
			t.Errorf("%q in %q is %q (%.2f)", c[0], c[1], r.Cause, r.Coverage)
		}
	}
	for _, c := range agreements {
		if r := check(t, Item{ID: "e1", Why: WhyMustSurface, Content: c[0]}, c[1]); !r.Present {
			t.Errorf("%q in %q is %q (%.2f)", c[0], c[1], r.Cause, r.Coverage)
		}
	}
	// A question is answered either way.
	if r := check(t, Item{ID: "s1", Why: WhyOpen, Content: "Is customer data encrypted at rest?"}, "Customer data is not encrypted at rest."); !r.Present {
		t.Errorf("%+v", r)
	}
}

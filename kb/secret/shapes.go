package secret

import (
	"strconv"
	"strings"
	"sync"
)

// prefixed are the tokens that tell by themselves what they are. A row has the rule, the
// entropy if it is not 2, and the shape: literal text, and runs {SET:N} or {SET:MIN-MAX}
// of characters. A set is a letter of [classes] and the other characters that belong to
// it. {uuid} is a UUID. With a ~ in front the token may begin within a word, with one
// behind it may go on in a word.
const prefixed = `
1password-secret-key 3.8 A3-{A:6}-{A:11}-{A:5}-{A:5}-{A:5}
1password-secret-key 3.8 A3-{A:6}-{A:6}-{A:5}-{A:5}-{A:5}-{A:5}
1password-service-account-token 4 ~ops_eyJ{n+/:250-}{.=:0-3}~
adobe-client-secret p8e-{n:32}
age-secret-key ~AGE-SECRET-KEY-1{A:58}~
airtable-personal-access-token pat{n:14}.{f:64}
alibaba-access-key-id LTAI{n:20}
anthropic-admin-api-key sk-ant-admin01-{u:93}AA
anthropic-api-key sk-ant-api03-{u:93}AA
anthropic-api-key sk-ant-oat01-{u:80-120}
artifactory-api-key 4.5 AKCp{n:69}
artifactory-reference-token 4.5 cmVmd{n:59}
atlassian-api-token 3.5 ATATT3{n_=-:186}
authress-service-client-access-key sc_{n:5-30}.{n:4-6}.acc{.-_:1}{n-:10-32}.{n+/_=-:30-120}
authress-service-client-access-key ext_{n:5-30}.{n:4-6}.acc{.-_:1}{n-:10-32}.{n+/_=-:30-120}
authress-service-client-access-key scauth_{n:5-30}.{n:4-6}.acc{.-_:1}{n-:10-32}.{n+/_=-:30-120}
authress-service-client-access-key authress_{n:5-30}.{n:4-6}.acc{.-_:1}{n-:10-32}.{n+/_=-:30-120}
aws-access-token 3 A3T{A:1}{U:16}
aws-access-token 3 AKIA{U:16}
aws-access-token 3 ASIA{U:16}
aws-access-token 3 ABIA{U:16}
aws-access-token 3 ACCA{U:16}
aws-amazon-bedrock-api-key-long-lived 3 ABSK{n+/:109-269}{.=:0-2}
aws-amazon-bedrock-api-key-short-lived 3 ~bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{n+/=:0-}~
azure-ad-client-secret 3 {n_~.:3}{0:1}Q~{u~.:31-34}
azure-storage-key ~AccountKey={n+/:86}==
buildkite-token bkua_{f:40}
circleci-token CCIPAT_{n:22}_{f:40}
clickhouse-cloud-api-secret-key 3 4b1d{n:38}
clojars-api-token ~CLOJARS_{n:60}~
cloudflare-origin-ca-key v1.0-{f:24}-{f:146}
databricks-api-token 3 dapi{f:32}
databricks-api-token 3 dapi{f:32}-{0:1}
defined-networking-api-token dnkey-{n=_-:26}-{n=_-:52}
digitalocean-access-token 3 doo_v1_{f:64}
digitalocean-pat 3 dop_v1_{f:64}
digitalocean-refresh-token dor_v1_{F:64}
docker-access-token dckr_pat_{u:20-64}
docker-access-token dckr_oat_{u:20-64}
doppler-api-token ~dp.pt.{n:43}~
doppler-api-token ~dp.ct.{n:40-44}~
doppler-api-token ~dp.st.{n._-:40-100}~
duffel-api-token ~duffel_test_{n_=-:43}~
duffel-api-token ~duffel_live_{n_=-:43}~
dynatrace-api-token 4 ~dt0c01.{n:24}.{n:64}~
easypost-api-token EZAK{n:54}
easypost-test-api-token EZTK{n:54}
facebook-page-access-token 4 EAAM{n:100-}
facebook-page-access-token 4 EAAC{n:100-}
figma-token figd_{u:40}
flutterwave-encryption-key ~FLWSECK_TEST-{n:12}~
flutterwave-public-key ~FLWPUBK_TEST-{n:32}-X~
flutterwave-secret-key ~FLWSECK_TEST-{n:32}-X~
flyio-access-token 4 fo1_{u:43}
flyio-access-token 4 fm1a_{n+/:100-}{.=:0-3}
flyio-access-token 4 fm1r_{n+/:100-}{.=:0-3}
flyio-access-token 4 fm2_{n+/:100-}{.=:0-3}
frameio-api-token ~fio-u-{n_=-:64}~
gcp-api-key 4 AIza{u:35}
gcp-oauth-client-secret 3 GOCSPX-{u:28}
gcp-oauth-token 3 ya29.{u:40-}
github-app-token 3 ~ghu_{n:36}~
github-app-token 3 ~ghs_{n:36}~
github-fine-grained-pat 3 ~github_pat_{w:82}~
github-oauth 3 ~gho_{n:36}~
github-pat 3 ~ghp_{n:36}~
github-refresh-token 3 ~ghr_{n:36}~
gitlab-cicd-job-token 3 ~glcbt-{n:1-5}_{u:20}~
gitlab-deploy-token 3 ~gldt-{u:20}~
gitlab-feature-flag-client-token 3 ~glffct-{u:20}~
gitlab-feed-token 3 ~glft-{u:20}~
gitlab-incoming-mail-token 3 ~glimt-{u:25}~
gitlab-kubernetes-agent-token 3 ~glagent-{u:50}~
gitlab-oauth-app-secret 3 ~gloas-{u:64}~
gitlab-pat 3 ~glpat-{u:20}~
gitlab-pat-routable 4 glpat-{u:27-300}.{a:9}
gitlab-ptt 3 ~glptt-{f:40}~
gitlab-rrt 3 ~GR1348941{u:20}~
gitlab-runner-authentication-token 3 ~glrt-{u:20}~
gitlab-runner-authentication-token-routable 4 glrt-t{0:1}_{u:27-300}.{a:9}
gitlab-scim-token 3 ~glsoat-{u:20}~
gitlab-session-cookie 3 ~_gitlab_session={a:32}~
grafana-api-key 3 eyJrIjoi{n:70-400}{.=:0-3}
grafana-cloud-api-token 3 glc_{n+/:32-400}{.=:0-3}
grafana-service-account-token 3 glsa_{n:32}_{F:8}
groq-api-key 3 gsk_{n:52}
harness-api-key ~pat.{u:22}.{n:24}.{n:20}~
harness-api-key ~sat.{u:22}.{n:24}.{n:20}~
hashicorp-tf-api-token 3.5 ~{n:14}.atlasv1.{n_=-:60-70}~
heroku-api-key 4 HRKU-AA{u:58}
huggingface-access-token hf_{l:34}
huggingface-access-token 3 hf_{n:34}
huggingface-organization-api-token api_org_{l:34}
infracost-api-token 3 ico-{n:32}
intra42-client-secret 3 s-s4t2ud-{F:64}
intra42-client-secret 3 s-s4t2af-{F:64}
jwt 3 ey{u:17-}.ey{u/\:17-}.{u/\:0-}{.=:0-2}
jwt-base64 ZXlK{u+/\:48-}{.=:0-2}
linear-api-key ~lin_api_{n:40}~
linear-oauth-token ~lin_oauth_{n:40-64}~
mapbox-api-token pk.{n:60}.{n:22}
mapbox-api-token sk.{n:60}.{n:22}
maxmind-license-key 4 {n:6}_{n:29}_mmk
microsoft-teams-webhook ~https://{a:1-63}.webhook.office.com/webhookb2/{n-:36}@{n-:36}/IncomingWebhook/{a:32}/{n-:36}~
new-relic-browser-api-token NRJS-{F:19}
new-relic-insert-key NRII-{n-:32}
new-relic-user-api-key NRAK-{n:27}
notion-api-token 4 ntn_{0:11}{n:35}
notion-api-token 4 secret_{n:43}
npm-access-token npm_{n:36}
octopus-deploy-api-key 3 API-{A:26}
openai-api-key 3 sk-{n:20}T3BlbkFJ{n:20}
openai-api-key 3 sk-proj-{u:80-200}
openai-api-key 3 sk-svcacct-{u:80-200}
openai-api-key 3 sk-admin-{u:80-200}
openshift-user-token 3.5 sha256~{u:43}
perplexity-api-key 4 pplx-{n:48}
planetscale-api-token 3 pscale_tkn_{w=.-:32-64}
planetscale-oauth-token 3 pscale_oauth_{w=.-:32-64}
planetscale-password 3 pscale_pw_{w=.-:32-64}
postman-api-token 3 PMAK-{F:24}-{F:34}
prefect-api-token pnu_{n:36}
pulumi-api-token pul-{f:40}
pypi-upload-token 3 ~pypi-AgEIcHlwaS5vcmc{u:50-1000}~
readme-api-token rdme_{a:70}
replicate-api-token 3 r8_{n:37}
rubygems-api-token rubygems_{f:48}
scalingo-api-token tk-us-{u:48}
sendgrid-api-token SG.{n=_.-:66}
sendinblue-api-token xkeysib-{f:64}-{n:16}
sentry-org-token 4.5 sntrys_eyJpYXQiO{n+/:32-500}{.=:0-2}_{n+/:43}
sentry-user-token 3.5 sntryu_{f:64}
settlemint-application-access-token 3 sm_aat_{n:16}
settlemint-personal-access-token 3 sm_pat_{n:16}
settlemint-service-access-token 3 sm_sat_{n:16}
shippo-api-token shippo_live_{F:40}
shippo-api-token shippo_test_{F:40}
shopify-access-token ~shpat_{F:32}~
shopify-custom-access-token ~shpca_{F:32}~
shopify-private-app-access-token ~shppa_{F:32}~
shopify-shared-secret ~shpss_{F:32}~
sidekiq-sensitive-url http://{F:8}:{F:8}@gems.contribsys.com
sidekiq-sensitive-url https://{F:8}:{F:8}@gems.contribsys.com
sidekiq-sensitive-url http://{F:8}:{F:8}@enterprise.contribsys.com
sidekiq-sensitive-url https://{F:8}:{F:8}@enterprise.contribsys.com
slack-app-token ~xapp-{0:1}-{n:1-32}-{0:1-20}-{n:1-100}~
slack-bot-token 3 ~xoxb-{0:10-13}-{0:10-13}{n-:0-100}~
slack-config-access-token ~xoxe.xoxb-{0:1}-{n:163-166}~
slack-config-access-token ~xoxe.xoxp-{0:1}-{n:163-166}~
slack-config-refresh-token ~xoxe-{0:1}-{n:146}~
slack-legacy-bot-token ~xoxb-{0:8-14}-{n:18-26}~
slack-legacy-token ~xoxo-{0:1-20}-{0:1-20}-{0:1-20}-{F:1-100}~
slack-legacy-token ~xoxs-{0:1-20}-{0:1-20}-{0:1-20}-{F:1-100}~
slack-legacy-workspace-token ~xoxa-{n:8-48}~
slack-legacy-workspace-token ~xoxr-{n:8-48}~
slack-legacy-workspace-token ~xoxa-{0:1}-{n:8-48}~
slack-legacy-workspace-token ~xoxr-{0:1}-{n:8-48}~
slack-user-token ~xoxp-{0:10-13}-{0:10-13}-{0:10-13}-{n-:28-34}~
slack-user-token ~xoxe-{0:10-13}-{0:10-13}-{0:10-13}-{n-:28-34}~
slack-webhook-url ~hooks.slack.com/services/{n+/:43-56}~
slack-webhook-url ~hooks.slack.com/workflows/{n+/:43-56}~
slack-webhook-url ~hooks.slack.com/triggers/{n+/:43-56}~
slack-webhook-url ~https://hooks.slack.com/services/{n+/:43-56}~
slack-webhook-url ~https://hooks.slack.com/workflows/{n+/:43-56}~
slack-webhook-url ~https://hooks.slack.com/triggers/{n+/:43-56}~
sourcegraph-access-token 3 sgp_{F:40}
sourcegraph-access-token 3 sgp_{F:16}_{F:40}
sourcegraph-access-token 3 sgp_local_{F:40}
square-access-token EAAA{u:22-60}
square-access-token sq0atp-{u:22-60}
square-access-token sq0csp-{u:43}
stripe-access-token sk_test_{n:10-120}
stripe-access-token sk_live_{n:10-120}
stripe-access-token sk_prod_{n:10-120}
stripe-access-token rk_test_{n:10-120}
stripe-access-token rk_live_{n:10-120}
stripe-access-token rk_prod_{n:10-120}
stripe-webhook-secret 3 whsec_{n+/:32-64}{.=:0-2}
supabase-token sbp_{f:40}
tailscale-key 3 tskey-{a:3-12}-{n:8-40}-{n:16-64}
telegram-bot-api-token api.telegram.org/bot{0:5-16}:A{u:34}
twilio-api-key 3 ~SK{F:32}~
typeform-api-token tfp_{n_.=-:59}
vault-batch-token 4 hvb.{u:138-300}
vault-service-token 3.5 hvs.{u:90-120}
vault-service-token 3.5 s.{n:24}
xai-api-key 3 xai-{n:80}
yandex-access-token t1.{u:1-300}{.=:0-2}.{u:86}{.=:0-2}
yandex-api-key AQVN{u:35-38}`

// named are the values that look like any other: only their name tells what they are. A
// row has the rule, the entropy if it is not 2, words of which one is in the name, and
// the shape.
const named = `
adafruit-api-key adafruit {u:32}
adobe-client-id adobe {F:32}
airtable-api-key airtable {n:17}
algolia-api-key algolia {n:32}
alibaba-secret-key alibaba {n:30}
asana-client-id asana {0:16}
asana-client-secret asana {n:32}
atlassian-api-token 3.5 atlassian,confluence,jira {n:20}{F:4}
beamer-api-token beamer b_{n=_-:44}
bitbucket-client-id bitbucket {n:32}
bitbucket-client-secret bitbucket {n=_-:64}
bittrex-access-key bittrex {n:32}
cisco-meraki-api-key 3 meraki {f:40}
cloudflare-api-key cloudflare {u:40}
cloudflare-global-api-key cloudflare {F:37}
codecov-access-token codecov {n:32}
cohere-api-token 4 cohere,co_api_key {n:40}
coinbase-access-token coinbase {u:64}
confluent-access-token confluent {n:16}
confluent-secret-key confluent {n:64}
contentful-delivery-api-token contentful {n=_-:43}
datadog-access-token datadog {n:40}
discord-api-token discord {F:64}
discord-bot-token 3.5 discord {u:24-28}.{u:6}.{u:27-38}
discord-client-id discord {0:18-19}
discord-client-secret discord {n=_-:32}
droneci-access-token droneci {n:32}
dropbox-api-token dropbox {n:15}
dropbox-long-lived-api-token dropbox {n:11}AAAAAAAAAA{n=_-:43}
dropbox-short-lived-api-token dropbox sl.{n=_-:135}
etsy-access-token 3 etsy {n:24}
facebook-access-token 3 facebook,access_token {0:15-16}{.|%:1}{u:27-40}
facebook-secret 3 facebook {F:32}
fastly-api-token fastly {n=_-:32}
finicity-api-token finicity {F:32}
finicity-client-secret finicity {n:20}
finnhub-access-token finnhub {n:20}
flickr-access-token flickr {n:32}
freshbooks-access-token freshbooks {n:64}
gitter-access-token gitter {u:40}
gocardless-api-token gocardless live_{n=_-:40}
heroku-api-key heroku {uuid}
hubspot-api-key hubspot {uuid}
intercom-api-key intercom {n=_-:60}
jfrog-api-key jfrog,artifactory,bintray,xray {n:73}
jfrog-identity-token jfrog,artifactory,bintray,xray {n:64}
kraken-access-token kraken {n/=_+-:80-90}
kucoin-access-token kucoin {F:24}
kucoin-secret-key kucoin {uuid}
launchdarkly-access-token launchdarkly {n=_-:40}
linear-client-secret linear {F:32}
linkedin-client-id linkedin,linked_in,linked-in {n:14}
linkedin-client-secret linkedin,linked_in,linked-in {n:16}
lob-api-key lob live_{F:35}
lob-api-key lob test_{F:35}
lob-pub-api-key lob live_pub_{F:31}
lob-pub-api-key lob test_pub_{F:31}
looker-client-id looker {n:20}
looker-client-secret looker {n:24}
mailchimp-api-key mailchimp,mailchimpsdk.initialize {F:32}-us{0:2}
mailgun-private-api-token mailgun key-{F:32}
mailgun-pub-key mailgun pubkey-{F:32}
mailgun-signing-key mailgun {n:32}-{n:8}-{n:8}
mattermost-access-token mattermost {n:26}
messagebird-api-token messagebird,message-bird,message_bird {n:25}
messagebird-client-id messagebird,message-bird,message_bird {uuid}
netlify-access-token netlify {n=_-:40-46}
new-relic-user-api-id new-relic,newrelic,new_relic {n:64}
nytimes-access-token nytimes,new-york-times,newyorktimes {n=_-:32}
okta-access-token 4 okta 00{w=-:40}
plaid-api-token plaid access-sandbox-{uuid}
plaid-api-token plaid access-development-{uuid}
plaid-api-token plaid access-production-{uuid}
plaid-client-id 3.5 plaid {n:24}
plaid-secret-key 3.5 plaid {n:30}
privateai-api-token 3 privateai,private_ai,private-ai {n:32}
rapidapi-access-token rapidapi {u:50}
sendbird-access-id sendbird {uuid}
sendbird-access-token sendbird {F:40}
sentry-access-token 3 sentry {F:64}
sidekiq-secret bundle_enterprise__contribsys__com,bundle_gems__contribsys__com {F:8}:{F:8}
snyk-api-token snyk {uuid}
sonar-api-token sonar {n=_-:40}
sonar-api-token sonar squ_{n=_-:40}
sonar-api-token sonar sqp_{n=_-:40}
sonar-api-token sonar sqa_{n=_-:40}
sourcegraph-access-token 3 sourcegraph {F:40}
squarespace-access-token squarespace {uuid}
sumologic-access-id 3 sumo su{n:12}
sumologic-access-token 3 sumo {n:64}
telegram-bot-api-token telegr {0:5-16}:A{u:34}
travisci-access-token travis {n:22}
twitch-api-token twitch {n:30}
twitter-access-secret twitter {n:45}
twitter-access-token twitter {0:15-25}-{n:20-40}
twitter-api-key twitter {n:25}
twitter-api-secret twitter {n:50}
twitter-bearer-token twitter AAAAAAAAAAAAAAAAAAAAAA{n%:80-100}
yandex-aws-access-token yandex YC{u:38}
zendesk-secret-key zendesk {n:40}`

// classes are the letters that stand for sets of characters.
var classes = map[byte]string{
	'.': "", '0': "0-9", 'f': "0-9a-f", 'F': "0-9a-fA-F",
	'a': "0-9a-z", 'A': "0-9A-Z", 'U': "2-7A-Z", 'l': "a-zA-Z",
	'n': "0-9a-zA-Z", 'w': "0-9a-zA-Z_", 'u': "0-9a-zA-Z_-",
}

// set is a set of bytes.
type set [256]bool

// newSet returns the bytes of ranges such as a-z, and what stands between them.
func newSet(chars string) *set {
	var s set
	for i := 0; i < len(chars); i++ {
		from, to := chars[i], chars[i]
		if i+2 < len(chars) && chars[i+1] == '-' {
			to = chars[i+2]
			i += 2
		}
		for c := int(from); c <= int(to); c++ {
			s[c] = true
		}
	}
	return &s
}

// without takes characters out of a set.
func (s *set) without(chars string) *set {
	for i := range len(chars) {
		s[chars[i]] = false
	}
	return s
}

// above adds what is not ASCII.
func (s *set) above() *set {
	for c := 0x80; c < len(s); c++ {
		s[c] = true
	}
	return s
}

// part is literal text, or a run of characters of a set.
type part struct {
	literal  string
	set      *set
	min, max int
}

// shape is what a token looks like, in parts.
type shape struct {
	rule  *rule
	names []string // of a value: one is in its name
	parts []part
	// anchor is the longest literal at a fixed place, offset bytes from the beginning.
	anchor         string
	offset         int
	inside, goesOn bool // in a word, at its beginning and end
}

// shapes are both tables, read at the first use.
var shapes = sync.OnceValue(readShapes)

func readShapes() *table {
	t := &table{rules: map[string]*rule{}, sets: map[string]*set{}}
	t.starts[start('-', '-')], t.starts[start('c', 'u')] = true, true // private keys, curl
	for line := range strings.Lines(prefixed + named) {
		if f := strings.Fields(line); len(f) > 0 {
			t.add(f)
		}
	}
	return t
}

type table struct {
	values  []shape          // that need a name
	byStart [1 << 10][]shape // by the first two bytes of the anchor
	starts  [1 << 10]bool    // whether an anchor may begin with two bytes
	rules   map[string]*rule
	sets    map[string]*set
}

func start(a, b byte) int { return (int(a)<<5 ^ int(b)) & (1<<10 - 1) }

// add reads a line of a table.
func (t *table) add(f []string) {
	s := shape{}
	entropy := 2.0
	id, f := f[0], f[1:]
	if n, err := strconv.ParseFloat(f[0], 64); err == nil && len(f) > 1 {
		entropy, f = n, f[1:]
	}
	s.rule = t.rule(id, entropy)
	if len(f) > 1 {
		s.names = strings.Split(f[0], ",")
	}
	text := f[len(f)-1]
	text, s.inside = strings.CutPrefix(text, "~")
	text, s.goesOn = strings.CutSuffix(text, "~")
	s.parts = t.parts(text)
	if s.names != nil {
		t.values = append(t.values, s)
		return
	}
	offset := 0
	for _, p := range s.parts {
		if len(p.literal) > len(s.anchor) {
			s.anchor, s.offset = p.literal, offset
		}
		if p.min != p.max {
			break
		}
		offset += p.min
	}
	at := start(s.anchor[0], s.anchor[1])
	t.byStart[at] = append(t.byStart[at], s)
	t.starts[at] = true
}

func (t *table) rule(id string, entropy float64) *rule {
	r := t.rules[id]
	if r == nil || r.entropy != entropy {
		r = &rule{ID: id, order: len(t.rules), entropy: entropy}
		t.rules[id] = r
	}
	return r
}

// parts reads a shape.
func (t *table) parts(text string) (all []part) {
	text = strings.ReplaceAll(text, "{uuid}", "{F:8}-{F:4}-{F:4}-{F:4}-{F:12}")
	for text != "" {
		literal, rest, run := strings.Cut(text, "{")
		if literal != "" {
			all = append(all, part{literal: literal, min: len(literal), max: len(literal)})
		}
		if !run {
			break
		}
		var inner string
		inner, text, _ = strings.Cut(rest, "}")
		chars, count, _ := strings.Cut(inner, ":")
		least, most, ranged := strings.Cut(count, "-")
		p := part{set: t.set(chars)}
		p.min, _ = strconv.Atoi(least)
		p.max = p.min
		if ranged {
			if p.max, _ = strconv.Atoi(most); most == "" {
				p.max = 1 << 30
			}
		}
		all = append(all, p)
	}
	return all
}

func (t *table) set(chars string) *set {
	if t.sets[chars] == nil {
		s := newSet(classes[chars[0]])
		for i := 1; i < len(chars); i++ {
			s[chars[i]] = true
		}
		t.sets[chars] = s
	}
	return t.sets[chars]
}

// match returns where the shape ends that begins at i, or -1. ends reports whether a
// token may end at a place.
func match(parts []part, text string, i int, ends func(i int) bool) int {
	if len(parts) == 0 {
		if ends(i) {
			return i
		}
		return -1
	}
	p := parts[0]
	if n := len(p.literal); n > 0 {
		if i+n > len(text) || !strings.EqualFold(text[i:i+n], p.literal) { // the anchor's case is right
			return -1
		}
		return match(parts[1:], text, i+len(p.literal), ends)
	}
	n := 0
	for n < p.max && i+n < len(text) && p.set[text[i+n]] {
		n++
	}
	for ; n >= p.min; n-- {
		if end := match(parts[1:], text, i+n, ends); end >= 0 {
			return end
		}
	}
	return -1
}

// at returns where the token ends that begins at i, or -1.
func (s *shape) at(text string, i int) int {
	if i < 0 || !s.inside && i > 0 && word[text[i-1]] {
		return -1
	}
	last := s.parts[len(s.parts)-1].set
	return match(s.parts, text, i, func(end int) bool {
		return s.goesOn || end == len(text) ||
			!word[text[end]] && (last == nil || !last[text[end]])
	})
}

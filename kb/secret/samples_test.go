package secret

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Alphabets of secrets.
const (
	digits = "0123456789"
	hex    = "0123456789abcdef"
	lower  = "abcdefghijklmnopqrstuvwxyz" + digits
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mixed  = lower + upper
)

// maker makes strings that look like secrets. They are made at run time, from pieces, so that no
// scanner finds one in this file.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 1))} }

func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	return string(b)
}

func (m maker) base64(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}

func (m maker) uuid() string {
	return strings.Join([]string{m.of(hex, 8), m.of(hex, 4), m.of(hex, 4), m.of(hex, 4), m.of(hex, 12)}, "-")
}

// pem is a private key of a kind, such as "RSA ".
func (m maker) pem(kind string, lines int) string {
	b := []string{"-----BEGIN " + kind + "PRIVATE KEY-----"}
	for range lines {
		b = append(b, m.base64(48))
	}
	return strings.Join(append(b, "-----END "+kind+"PRIVATE KEY-----"), "\n")
}

func (m maker) jwt() string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"`+m.of(digits, 10)+`","name":"x"}`) + "." + m.of(mixed, 43)
}

// sample is a text with its secrets between « and », and the rule that finds them; "" if nothing
// is to be found.
type sample struct{ name, rule, text string }

func (s sample) plain() string { return strings.NewReplacer("«", "", "»", "").Replace(s.text) }

// samples are the texts in which something is found.
func samples() []sample {
	m := newMaker(1)
	generic := "generic-api-key"
	s := []sample{
		{"github", "github-pat", "The bot pushes with «gh" + "p_" + m.of(mixed, 36) + "», ask Ann."},
		{"github fine-grained", "github-fine-grained-pat", "GH_TOKEN=«github" + "_pat_" + m.of(mixed, 82) + "»\n"},
		{"github oauth", "github-oauth", "«gh" + "o_" + m.of(mixed, 36) + "»"},
		{"github server", "github-app-token", "git clone with «gh" + "s_" + m.of(mixed, 36) + "» works"},
		{"gitlab", "gitlab-pat", "header PRIVATE-TOKEN: «gl" + "pat-" + m.of(mixed, 20) + "»"},
		{"gitlab deploy", "gitlab-deploy-token", "«gl" + "dt-" + m.of(mixed, 20) + "»"},
		{"aws", "aws-access-token", "The account uses «AK" + "IA" + m.of(upper, 16) + "» for S3."},
		{"aws session", "aws-access-token", "«AS" + "IA" + m.of(upper, 16) + "»"},
		{"aws secret", generic, "aws_secret_access_key = «" + m.of(mixed, 40) + "»\n"},
		{"gcp", "gcp-api-key", "maps?v=3 with key «AI" + "za" + m.of(mixed, 35) + "»\n"},
		{"slack bot", "slack-bot-token", "«xo" + "xb-" + m.of(digits, 12) + "-" + m.of(digits, 12) + "-" + m.of(mixed, 24) + "»"},
		{"slack hook", "slack-webhook-url", "alerts go to «https://hooks." + "slack.com/services/T" + m.of(upper, 8) + "/B" + m.of(upper, 8) + "/" + m.of(mixed, 24) + "»"},
		{"stripe", "stripe-access-token", "charge with «sk" + "_live_" + m.of(mixed, 24) + "»\n"},
		{"stripe test", "stripe-access-token", "«sk" + "_test_" + m.of(mixed, 24) + "»"},
		{"openai", "openai-api-key", "OPENAI_API_KEY=«sk" + "-" + m.of(mixed, 20) + "T3Blbk" + "FJ" + m.of(mixed, 20) + "»"},
		{"anthropic", "anthropic-api-key", "export KEY='«sk" + "-ant-api03-" + m.of(mixed, 93) + "AA»'"},
		{"hugging face", "huggingface-access-token", "login with «hf" + "_" + m.of(lower[:26], 34) + "»\n"},
		{"npm", "npm-access-token", "//registry.npmjs.org/:_authToken=«np" + "m_" + m.of(lower, 36) + "»\n"},
		{"pypi", "pypi-upload-token", "«py" + "pi-AgEIcHlwaS5vcmc" + m.of(mixed, 60) + "»"},
		{"rubygems", "rubygems-api-token", "«ruby" + "gems_" + m.of(hex, 48) + "»\n"},
		{"sendgrid", "sendgrid-api-token", "SENDGRID=«S" + "G." + m.of(lower, 66) + "»\n"},
		{"shopify", "shopify-access-token", "the shop's «shp" + "at_" + m.of(hex, 32) + "»"},
		{"digitalocean", "digitalocean-pat", "doctl auth init -t «do" + "p_v1_" + m.of(hex, 64) + "»\n"},
		{"linear", "linear-api-key", "LINEAR=«lin" + "_api_" + m.of(lower, 40) + "»"},
		{"vault", "vault-service-token", "VAULT is «hv" + "s." + m.of(mixed, 95) + "»\n"},
		{"age", "age-secret-key", "«AGE-SECRET" + "-KEY-1" + m.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58) + "»"},
		{"1password", "1password-secret-key", "emergency kit: «A" + "3-" + m.of(upper, 6) + "-" + m.of(upper, 11) + "-" + m.of(upper, 5) + "-" + m.of(upper, 5) + "-" + m.of(upper, 5) + "»"},
		{"jwt", "jwt", "Cookie: session=«" + m.jwt() + "»;"},
		{"jwt in a header", "jwt", "Authorization: Bearer «" + m.jwt() + "»\n"},
		{"datadog", "datadog-access-token", "datadog_api_key: «" + m.of(lower, 40) + "»\n"},
		{"grafana", "grafana-service-account-token", "«gl" + "sa_" + m.of(mixed, 32) + "_" + m.of(hex, 8) + "»\n"},
		{"rsa key", "private-key", "# The key\n\n«" + m.pem("RSA ", 12) + "»\n\nRotate it."},
		{"ec key", "private-key", "«" + m.pem("EC ", 3) + "»"},
		{"openssh key", "private-key", "«" + m.pem("OPENSSH ", 6) + "»\n"},
		{"short key", "private-key", "«" + m.pem("", 1) + "»"},
		{"key in json", "private-key", `{"private_key": "«` + strings.ReplaceAll(m.pem("", 20), "\n", `\n`) + `»\n"}`},
		{"curl header", "authorization-header", `curl -H "Authorization: Bearer «` + m.of(mixed, 32) + `»" https://api.internal/v1`},
		{"curl user", "curl-auth-user", "curl -s -u «deploy:" + m.of(mixed, 16) + "» https://ci.internal/job"},
		{"api key in quotes", generic, `const apiKey = "«` + m.of(mixed, 32) + `»"`},
		{"api key in env", generic, "BILLING_API_KEY=«" + m.of(lower, 40) + "»\n"},
		{"api key in yaml", generic, "auth:\n  token: «" + m.of(hex, 40) + "»\n"},
		{"api key in json", generic, `{"client_secret":"«` + m.of(mixed, 28) + `»"}`},
		{"api key in prose", generic, "The staging API key is: «" + m.of(mixed, 30) + "» (until May)"},
		{"secret like a checksum", generic, "signing_secret = «" + m.of(hex, 64) + "»\n"},
		{"secret like a uuid", generic, "client_secret=«" + m.uuid() + "»\n"},
		{"key like a checksum", generic, "The signing key: «" + m.of(hex, 64) + "»\n"},
		{"password", generic, "db_password: «" + m.of(mixed, 18) + "»\n"},
		{"password in a url", "url-password", "postgres://app:«" + m.of(mixed, 14) + "»@db.internal:5432/main"},
		{"password of no user", "url-password", "REDIS_URL=redis://:«" + m.of(mixed, 20) + "»@cache:6379/0"},
		{"password with signs", "url-password", "amqp://u:«" + m.of(mixed, 5) + "%40!" + m.of(mixed, 5) + "»@10.0.0.7/vhost"},
		{"password in a remote", "url-password", "remote https://ci:«" + m.of(mixed, 20) + "»@git.corp.net/x.git"},
		{"after accents", "github-pat", "Schlüssel für »Käse«: né\nça va : gh" + "p_" + m.of(mixed, 36)},
		{"two on a line", "github-pat", "«gh" + "p_" + m.of(mixed, 36) + "» «gh" + "p_" + m.of(mixed, 36) + "»"},
		{"not UTF-8", "github-pat", "\xff\xfe\n\xff «gh" + "p_" + m.of(mixed, 36) + "»\xff"},
	}
	// That one has its marks for quotes.
	for i := range s {
		if s[i].name == "after accents" {
			s[i].text = strings.NewReplacer("»Käse«", "Käse", "gh"+"p_", "«gh"+"p_").Replace(s[i].text) + "»"
		}
	}
	return s
}

// harmlessSamples are the texts in which nothing is.
func harmlessSamples() []sample {
	m := newMaker(2)
	sha1, sha256 := m.of(hex, 40), m.of(hex, 64)
	var s []sample
	for i, text := range []string{
		"",
		"The token expires after 24 h.",
		"Set API_KEY=... in .env, never in the repository.",
		"Set API_KEY=<your key> and SECRET_TOKEN=xxxxxxxxxxxxxxxx before the first start.",
		`password = os.Getenv("DB_PASSWORD_PRIMARY_2")`,
		`token := os.Getenv("GITHUB_TOKEN")`,
		`apiKey: process.env.STRIPE_API_KEY,`,
		`secret = settings.SECRET_KEY[:16]`,
		`password: ${DB_PASSWORD}`,
		`api_key: {{ .Values.apiKey }}`,
		`token: ${{ secrets.GITHUB_TOKEN }}`,
		`GITHUB_TOKEN=$GITHUB_TOKEN make release`,
		"Passwords are hashed with bcrypt, cost 12; access tokens are HMAC-SHA256 over user, scope and expiry.",
		"The secret is stored in Vault at secret/data/payments/stripe, field api_key.",
		"Access keys rotate every 90 days; the key of the cache is user:<id>:profile.",
		"auth = \"oauth2-client-credentials\" in the config, key: tenant-config-v2",
		"commit " + sha1 + " removed the token refresh",
		"Fixed in " + sha1[:12] + ", see the key change there.",
		"cache key: " + sha1,
		"etag key = " + m.of(hex, 32),
		"sha256:" + sha256 + " is the image with the auth fix",
		"image: registry/auth@sha256:" + sha256,
		"oci://registry.local/payments:1.24.3-alpine@sha256:" + sha256,
		sha256 + "  secrets.tar.gz",
		"h1:" + m.base64(32) + " (go.sum of github.com/x/oauth-token)",
		`"integrity": "sha512-` + m.base64(64) + `"`,
		"public key: " + m.base64(32),
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5" + m.base64(35) + " deploy key of ci",
		"request " + m.uuid() + " failed with an expired token",
		"Idempotency-Key: " + m.uuid(),
		"idempotency key: " + m.uuid(),
		"key=" + m.uuid() + ", row 7",
		"It asks for the token, key: " + m.uuid(),
		"![logo](data:image/png;base64,iVBORw0KGgo" + m.base64(300) + ")",
		`<img src="data:image/gif;base64,R0lGODlh` + m.base64(500) + `" alt="key">`,
		"AK" + "IAIOSFODNN7EXAMPLE is the access key of the AWS documentation.",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"curl -u user:password https://api.example.com",
		`curl -H "Authorization: Bearer $TOKEN" https://api.internal/v1`,
		`curl -H "X-Api-Key: <key>" https://api.internal/v1`,
		"postgres://user:password@localhost:5432/db",
		"postgres://postgres:postgres@localhost/db",
		"mysql://root:changeme@db/app and mysql://root:${MYSQL_PW}@db/app",
		"https://user:" + m.of(mixed, 12) + "@example.com/ as in the RFC",
		"http://localhost:8080/@scope/package and ssh://git@host:22/x.git",
		"amqp://app:xxxxxxxx@rabbit, redis://:<password>@cache, ftp://a:********@b",
		"A PEM file begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE...\n(the lines of the key, base64, 64 characters each)\n...\n-----END RSA PRIVATE KEY-----",
		"-----BEGIN PUBLIC KEY-----\n" + m.base64(48) + "\n" + m.base64(48) + "\n-----END PUBLIC KEY-----",
		"-----BEGIN CERTIFICATE-----\n" + m.base64(480) + "\n-----END CERTIFICATE-----",
		"A JWT is header.payload.signature, each base64url; the header begins with eyJ.",
		"GitHub tokens begin with ghp_, gho_, ghs_ or github_pat_, Slack's with xoxb-, Stripe's with sk_live_ and sk_test_.",
		"primary_key: user_id_2024_archive, foreign_key = order_item_17",
		"keyboard=de_CH.UTF-8, author=j.smith1987, tokenizer: cl100k_base",
		"max_tokens=4096, token_count: 1234567890, tokens per second = 184.3",
		"partition key = 2026-08-01T12:30:45.123Z",
		`import { Token, accessKey } from "@acme/auth-client-v2"`,
		"RUN --mount=type=secret,id=npm_token_2 npm ci",
		"password: gh****, token=sk_l**** (masked by the hook)",
		"func (a *Authenticator) TokenSource(ctx context.Context) oauth2.TokenSource { return a.ts }",
		`if key == "max_idle_conns_per_host_2" { return errBadKey }`,
	} {
		s = append(s, sample{fmt.Sprintf("%02d", i), "", text})
	}
	return s
}

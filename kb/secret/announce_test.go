package secret

import "testing"

// TestPasswords: what its name makes a password and looks like one is found; placeholders,
// references, code and sentences about passwords are not.
func TestPasswords(t *testing.T) {
	for _, text := range []string{
		"password: hunter2-Xk9!fooB4r for db admin",
		"DB_PASSWORD=Tr0ub4dor&3xyz9 in .env",
		"The password: 9fK!x2Lm.",
		`password = "Zx81-qLm4W"`,
		`{"password": "mK8$wq2Lp"}`,
		"export PGPASSWORD='q9Rt&Wz7k'",
		"MYSQL_PWD=xK4mQ9zT2w mysqldump shop",
		"admin_passwd: Gr8mBq7x",
		"passphrase: 7hT!9kLqZ2",
		"smtp_pass=aB3dE5fG7h",
		"root password:Qw3rTy!9",
		"spring.datasource.password=J8x#mN2pQ",
		"- password: `Kd93mXq1Zp`",
		"Login with user admin, password: Winter2026!",
		"https://host.internal/login?user=a&password=xK4mQ9zT2w&next=1",
		"REDIS_PASSWORD=\"pL0%kWq8z\"",
		"password := `v9X+kLm2Q`",
	} {
		if len(Find(text)) == 0 {
			t.Errorf("not found: %s", text)
		}
	}
	for _, text := range []string{
		"password: changeme", "password: see vault", "password: <password>", "password=$DB_PASSWORD1",
		"the password: is asked for", "PASSWORD=${PASSWORD:-Abc123!x}", "password: your-Password1",
		"password: ********", "password: xxxxxxxx", "password: Example123!", "password: {{ .Values.Db1 }}",
		`password = os.Getenv("DB_PASS1")`, "password: getPassword(User1)", "password: req.body.password2",
		"password: Vault/prod/Db1", "password: /run/secrets/Db1", "password: C:\\Users1\\key.TXT",
		"password: ENC[AES256_GCM,data:Xk9]", "password: string, at least 8 characters",
		"password: bcrypt", "password: userInput1", "password: Base64Encoded1", "password: null",
		"Password1: the first one", "password: 12345678", "reset password: POST /v1/Users",
		"password=Password123!", "password: %(DB_Pass1)s", "--password=@File1.txt",
		"password: see https://Wiki1.internal/x", "password: RFC2898DeriveBytes",
		"pass: 3 of 4 tests", "passwords: MinLength8 applies", "password: «secret: password»",
		"password: ghp_****",
	} {
		for _, f := range Find(text) {
			t.Errorf("%s: found %q as %s", text, text[f.Start:f.End], f.Rule)
		}
	}
}

package documents

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// pdfCrypt decrypts the objects of a file that opens without a password.
type pdfCrypt struct {
	key             []byte
	own             pdfRef // its dictionary, which is not encrypted
	strings, stream string // by which method: "V2" (RC4), "AESV2", "AESV3", or none
}

// pdfPadding stands in for the password that is not there.
const pdfPadding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// unlock finds the key, if the file is encrypted.
func (f *pdfFile) unlock() error {
	if f.trailer["Encrypt"] == nil {
		return nil
	}
	d := f.dict(f.trailer["Encrypt"])
	text := func(name pdfName) []byte {
		s, _ := f.resolve(d[name]).(pdfString)
		return []byte(s)
	}
	c := &pdfCrypt{}
	c.own, _ = f.trailer["Encrypt"].(pdfRef)
	switch version := f.integer(d["V"]); version {
	case 1, 2:
		c.strings, c.stream = "V2", "V2"
	case 4, 5:
		method := func(of pdfName) string {
			name, _ := f.resolve(d[of]).(pdfName)
			cfm, _ := f.resolve(f.dict(f.dict(d["CF"])[name])["CFM"]).(pdfName)
			return string(cfm)
		}
		c.strings, c.stream = method("StrF"), method("StmF")
	default:
		return errEncrypted
	}
	u, revision := text("U"), f.integer(d["R"])
	if revision >= 5 {
		c.key = pdfKey256(u, text("UE"), revision)
	} else {
		id := ""
		if a := f.array(f.trailer["ID"]); len(a) > 0 {
			s, _ := f.resolve(a[0]).(pdfString)
			id = string(s)
		}
		length := 5
		if f.integer(d["V"]) > 1 {
			length = max(5, min(16, f.integer(d["Length"])/8))
		}
		if f.integer(d["V"]) == 4 {
			length = 16
		}
		c.key = pdfKey128(text("O"), u, id, uint32(int64(f.number(d["P"]))), revision, length,
			f.resolve(d["EncryptMetadata"]) != false)
	}
	if c.key == nil {
		return errEncrypted
	}
	f.crypt = c
	return nil
}

// pdfKey128 returns the key of up to 128 bits, or nil if there is a password.
func pdfKey128(o, u []byte, id string, p uint32, revision, length int, metadata bool) []byte {
	h := md5.New()
	h.Write([]byte(pdfPadding))
	h.Write(o[:min(32, len(o))])
	h.Write(binary.LittleEndian.AppendUint32(nil, p))
	h.Write([]byte(id))
	if revision >= 4 && !metadata {
		h.Write([]byte("\xFF\xFF\xFF\xFF"))
	}
	key := h.Sum(nil)[:length]
	check, rounds := []byte(pdfPadding), 1
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key)
			key = sum[:length]
		}
		sum := md5.Sum([]byte(pdfPadding + id))
		check, rounds = sum[:], 20
	}
	for i := range rounds {
		check = pdfRC4(xor(key, byte(i)), check)
	}
	if len(u) < len(check) || !bytes.Equal(check[:16], u[:16]) {
		return nil
	}
	return key
}

func xor(key []byte, by byte) []byte {
	out := bytes.Clone(key)
	for i := range out {
		out[i] ^= by
	}
	return out
}

func pdfRC4(key, data []byte) []byte {
	out := make([]byte, len(data))
	if c, err := rc4.NewCipher(key); err == nil {
		c.XORKeyStream(out, data)
	}
	return out
}

// pdfKey256 returns the key of 256 bits, or nil if there is a password. U has its check,
// and two salts.
func pdfKey256(u, ue []byte, revision int) []byte {
	if len(u) < 48 || len(ue) < 32 || !bytes.Equal(pdfHash(u[32:40], revision), u[:32]) {
		return nil
	}
	return pdfAES(pdfHash(u[40:48], revision), make([]byte, 16), ue[:32], false)
}

// pdfHash hashes a salt, and the password that is not there.
func pdfHash(salt []byte, revision int) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	for round, last := 0, byte(0); revision > 5 && (round < 64 || int(last) > round-32); round++ {
		e := pdfAES(k[:16], k[16:32], bytes.Repeat(k, 64), true)
		n := 0
		for _, c := range e[:16] {
			n += int(c)
		}
		switch n % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		default:
			s := sha512.Sum512(e)
			k = s[:]
		}
		last = e[len(e)-1]
	}
	return k[:32]
}

// pdfAES encrypts or decrypts whole blocks.
func pdfAES(key, iv, data []byte, encrypt bool) []byte {
	data = bytes.Clone(data[:len(data)-len(data)%16])
	block, err := aes.NewCipher(key)
	switch {
	case err != nil:
		return nil
	case encrypt:
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
	default:
		cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
	}
	return data
}

// objectKey returns what the key of an object begins with.
func (c *pdfCrypt) objectKey(ref, gen pdfRef) []byte {
	return append(bytes.Clone(c.key), byte(ref), byte(ref>>8), byte(ref>>16), byte(gen), byte(gen>>8))
}

// decrypt decrypts what belongs to the object of that key.
func (c *pdfCrypt) decrypt(method string, key, data []byte) []byte {
	switch method {
	case "AESV3":
		key = c.key
	case "AESV2", "V2":
		salt := ""
		if method == "AESV2" {
			salt = "sAlT"
		}
		sum := md5.Sum(append(bytes.Clone(key), salt...))
		key = sum[:min(16, len(c.key)+5)]
	default:
		return data
	}
	if method == "V2" {
		return pdfRC4(key, data)
	}
	if len(data) < 32 {
		return nil
	}
	out := pdfAES(key, data[:16], data[16:], false)
	if n := len(out); n > 0 && out[n-1] <= 16 {
		out = out[:n-int(out[n-1])]
	}
	return out
}

// object decrypts the texts of an object.
func (c *pdfCrypt) object(o any, key []byte, depth int) any {
	if depth > maxPDFDepth {
		return nil
	}
	switch o := o.(type) {
	case pdfString:
		return pdfString(c.decrypt(c.strings, key, []byte(o)))
	case pdfArray:
		for i := range o {
			o[i] = c.object(o[i], key, depth+1)
		}
	case pdfDict:
		for name := range o {
			o[name] = c.object(o[name], key, depth+1)
		}
	case pdfStream:
		c.object(o.dict, key, depth+1)
		if o.dict["Type"] != pdfName("XRef") {
			o.key = key
		}
		return o
	}
	return o
}

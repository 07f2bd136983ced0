package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// roots is the module with the certificates of authorities, as Mozilla has them.
const roots = "golang.org/x/crypto/x509roots/fallback@v0.0.0-20261030153154-30a33513ff6d"

// nobody is the user that the image runs as, and to whom /data belongs.
const nobody = 65532

//go:embed compose.yaml
var compose string

// image writes an image of the Linux binaries, as an OCI layout in one tar: docker load, podman
// load and skopeo read it. No daemon is needed.
func (r *release) image() error {
	var manifests []object
	blobs := map[string][]byte{}
	for _, b := range r.binaries {
		if b.goos != "linux" {
			continue
		}
		manifest, err := r.imageOf(&b, blobs)
		if err != nil {
			return err
		}
		manifests = append(manifests, manifest)
	}
	if manifests == nil {
		return nil
	}
	index, err := json.Marshal(object{"schemaVersion": 2, "mediaType": oci + "index.v1+json", "manifests": manifests})
	if err != nil {
		return err
	}
	name := "board:" + r.semver
	top, err := json.Marshal(object{"schemaVersion": 2, "mediaType": oci + "index.v1+json", "manifests": []object{
		put(blobs, "index.v1+json", index, object{"annotations": object{"org.opencontainers.image.ref.name": r.semver, "io.containerd.image.name": "docker.io/library/" + name}})}})
	if err != nil {
		return err
	}
	files := []file{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o644}, {"index.json", top, 0o644}, {"blobs/", nil, 0o755}, {"blobs/sha256/", nil, 0o755}}
	for _, sum := range slices.Sorted(maps.Keys(blobs)) {
		files = append(files, file{"blobs/sha256/" + sum, blobs[sum], 0o644})
	}
	data, err := r.tarred(files, 0)
	if err != nil {
		return err
	}
	return errors.Join(r.write("board-"+r.tag+"-oci.tar", data),
		r.write("compose.yaml", []byte(strings.ReplaceAll(compose, "@IMAGE@", name))))
}

const oci = "application/vnd.oci.image."

// put adds a blob, and returns its descriptor.
func put(blobs map[string][]byte, kind string, data []byte, more object) object {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	blobs[sum] = data
	more["mediaType"], more["size"], more["digest"] = oci+kind, len(data), "sha256:"+sum
	return more
}

func (r *release) imageOf(b *binary, blobs map[string][]byte) (object, error) {
	files, err := r.imageFiles(b)
	if err != nil {
		return nil, err
	}
	layer, err := r.tarred(files, nobody)
	if err != nil {
		return nil, err
	}
	zipped, err := gzipped(layer)
	if err != nil {
		return nil, err
	}
	at := r.time.Format(time.RFC3339)
	config, err := json.Marshal(object{
		"architecture": b.goarch, "os": "linux", "created": at,
		"config": object{
			"User": fmt.Sprintf("%d:%d", nobody, nobody), "WorkingDir": "/data", "Volumes": object{"/data": object{}},
			"Env":        []string{"PATH=/usr/bin", "HOME=/data", "BOARD_HOME=/data"},
			"Entrypoint": []string{"/usr/bin/board"},
			"Labels": object{"org.opencontainers.image.source": r.Repository, "org.opencontainers.image.version": r.semver,
				"org.opencontainers.image.licenses": license, "org.opencontainers.image.description": description},
		},
		"rootfs":  object{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}},
		"history": []object{{"created": at, "comment": "the static binary, and what it needs"}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(object{"schemaVersion": 2, "mediaType": oci + "manifest.v1+json",
		"config": put(blobs, "config.v1+json", config, object{}),
		"layers": []object{put(blobs, "layer.v1.tar+gzip", zipped, object{})}})
	if err != nil {
		return nil, err
	}
	return put(blobs, "manifest.v1+json", manifest, object{"platform": object{"os": "linux", "architecture": b.goarch}}), nil
}

// imageFiles is the whole file system. Nothing in it can be written to but /data and /tmp.
func (r *release) imageFiles(b *binary) ([]file, error) {
	program, err := b.program("usr/bin/board")
	if err != nil {
		return nil, err
	}
	authorities, err := r.authorities()
	if err != nil {
		return nil, err
	}
	user := fmt.Sprintf("board:x:%d:%d::/data:/sbin/nologin\n", nobody, nobody)
	group := fmt.Sprintf("board:x:%d:\n", nobody)
	return []file{
		{"data/", nil, 0o700}, {"tmp/", nil, 0o1777}, {"etc/", nil, 0o755}, {"etc/ssl/", nil, 0o755}, {"etc/ssl/certs/", nil, 0o755},
		{"etc/ssl/certs/ca-certificates.crt", authorities, 0o644},
		{"etc/passwd", []byte(user), 0o644}, {"etc/group", []byte(group), 0o644},
		{"usr/", nil, 0o755}, {"usr/bin/", nil, 0o755}, program,
		{"usr/share/", nil, 0o755}, {"usr/share/doc/", nil, 0o755}, {"usr/share/doc/board/", nil, 0o755},
		{"usr/share/doc/board/LICENSE", r.license, 0o644}, {"usr/share/doc/board/" + noticesFile, r.notices(), 0o644},
	}, nil
}

// authorities are the certificates against which servers are checked: those of the module roots,
// so that no machine's own change an image.
func (r *release) authorities() ([]byte, error) {
	out, err := exec.Command("go", "mod", "download", "-json", roots).Output()
	if err != nil {
		return nil, fmt.Errorf("cannot get %s: %w\n  try: make sure that the Go module proxy can be reached; then run make packages", roots, err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return nil, err
	}
	der, err := os.ReadFile(filepath.Join(m.Dir, "bundle", "bundle.der"))
	if err != nil {
		return nil, err
	}
	all, err := x509.ParseCertificates(der)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, c := range all {
		fmt.Fprintf(&text, "# %s\n", c.Subject)
		if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

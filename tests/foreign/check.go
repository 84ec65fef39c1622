// check is a foreign checker of what memories hands out: Go's own note and
// tlog packages (golang.org/x/mod/sumdb), and nothing of ours. It answers each
// line of its input with one line, "ok" or why not:
//
//	note KEY FILE               the note is signed by the key
//	export DIR                  checkpoint, key.pub, tiles and entries fit each other
//	proof KEY FILE              a C2SP tlog-proof whose extra data is the leaf
//	consistency KEY FILE ROOT   the proof leads from that root (hex) to the note's
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type head struct {
	size int64
	root tlog.Hash
}

func verifier(keyFile string) (note.Verifier, error) {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(strings.TrimSuffix(string(key), "\n"))
}

// open returns the tree head of a checkpoint that one of the keys signed.
func open(msg []byte, keyFiles ...string) (head, error) {
	var known []note.Verifier
	for _, file := range keyFiles {
		v, err := verifier(file)
		if err != nil {
			return head{}, err
		}
		known = append(known, v)
	}
	n, err := note.Open(msg, note.VerifierList(known...))
	if err != nil {
		return head{}, err
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) < 4 || lines[0] != known[0].Name() {
		return head{}, errors.New("not a checkpoint of this log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || strconv.FormatInt(size, 10) != lines[1] {
		return head{}, errors.New("no size")
	}
	root, err := tlog.ParseHash(lines[2])
	return head{size, root}, err
}

// tiles reads C2SP tlog-tiles, whose paths lack the height that Go's have.
type tiles struct{ dir string }

func (t tiles) Height() int                          { return height }
func (t tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t tiles) path(tile tlog.Tile) string {
	p := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height))
	p = strings.Replace(p, "data/", "entries/", 1)
	return filepath.Join(t.dir, "tile", p)
}

func (t tiles) ReadTiles(want []tlog.Tile) ([][]byte, error) {
	var out [][]byte
	for _, tile := range want {
		data, err := os.ReadFile(t.path(tile))
		if err != nil {
			return nil, err
		}
		if len(data) != tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s has another length", t.path(tile))
		}
		out = append(out, data)
	}
	return out, nil
}

// entries returns the leaves of one bundle.
func (t tiles) entries(n int64, width int) ([][]byte, error) {
	data, err := os.ReadFile(t.path(tlog.Tile{H: height, L: -1, N: n, W: width}))
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for len(data) >= 2 {
		size := int(binary.BigEndian.Uint16(data))
		if len(data) < 2+size {
			break
		}
		out = append(out, data[2:2+size])
		data = data[2+size:]
	}
	if len(data) > 0 || len(out) != width {
		return nil, fmt.Errorf("bundle %d does not hold %d entries", n, width)
	}
	return out, nil
}

func (t tiles) checkEntries(tree head, hashes tlog.HashReader) error {
	for n := int64(0); n<<height < tree.size; n++ {
		width := int64(1 << height)
		if tree.size-n<<height < width {
			width = tree.size - n<<height
		}
		leaves, err := t.entries(n, int(width))
		if err != nil {
			return err
		}
		var indexes []int64
		for i := range leaves {
			indexes = append(indexes, tlog.StoredHashIndex(0, n<<height+int64(i)))
		}
		got, err := hashes.ReadHashes(indexes)
		if err != nil {
			return err
		}
		for i, leaf := range leaves {
			if tlog.RecordHash(leaf) != got[i] {
				return fmt.Errorf("entry %d has another hash", n<<height+int64(i))
			}
		}
	}
	return nil
}

// sample picks numbers in [from, to): the ends, and around multiples of tiles.
func sample(from, to int64) []int64 {
	var out []int64
	for _, i := range []int64{0, 1, 2, 7, 254, 255, 256, 257, 511, 512, 1000, 65535, 65536, to / 3, to / 2, to - 2, to - 1} {
		if i >= from && i < to {
			out = append(out, i)
		}
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func checkExport(dir string) error {
	msg, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		return err
	}
	keys := []string{filepath.Join(dir, "key.pub")}
	if delegate := filepath.Join(dir, "delegate.pub"); exists(delegate) {
		keys = append(keys, delegate)
	}
	tree, err := open(msg, keys...)
	if err != nil {
		return err
	}
	t := tiles{dir}
	hashes := tlog.TileHashReader(tlog.Tree{N: tree.size, Hash: tree.root}, t)
	if err := t.checkEntries(tree, hashes); err != nil {
		return err
	}
	for _, i := range sample(0, tree.size) {
		proof, err := tlog.ProveRecord(tree.size, i, hashes)
		if err != nil {
			return err
		}
		leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, i)})
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, tree.size, tree.root, i, leaf[0]); err != nil {
			return err
		}
	}
	for _, old := range sample(1, tree.size+1) {
		root, err := tlog.TreeHash(old, hashes)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(tree.size, old, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, tree.size, tree.root, old, root); err != nil {
			return err
		}
	}
	return nil
}

// take splits "HEADER LINES\nHASHES\n\nREST".
func take(file string, headers int) (header []string, hashes []tlog.Hash, rest []byte, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	before, after, found := strings.Cut(string(data), "\n\n")
	header = strings.Split(before, "\n")
	if !found || len(header) < headers {
		return nil, nil, nil, errors.New("no empty line")
	}
	for _, line := range header[headers:] {
		h, err := tlog.ParseHash(line)
		if err != nil {
			return nil, nil, nil, err
		}
		hashes = append(hashes, h)
	}
	return header[:headers], hashes, []byte(after), nil
}

func number(line, word string) (int64, error) {
	return strconv.ParseInt(strings.TrimPrefix(line, word+" "), 10, 64)
}

func checkProof(keyFile, file string) error {
	header, hashes, rest, err := take(file, 3)
	if err != nil {
		return err
	}
	leaf, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(header[1], "extra "))
	if err != nil || header[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("not a tlog-proof with a leaf")
	}
	index, err := number(header[2], "index")
	if err != nil {
		return err
	}
	tree, err := open(rest, keyFile)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(hashes, tree.size, tree.root, index, tlog.RecordHash(leaf))
}

func checkConsistency(keyFile, file, oldRoot string) error {
	header, hashes, rest, err := take(file, 1)
	if err != nil {
		return err
	}
	old, err := number(header[0], "old")
	if err != nil {
		return err
	}
	tree, err := open(rest, keyFile)
	if err != nil {
		return err
	}
	var root tlog.Hash
	if _, err := hex.Decode(root[:], []byte(oldRoot)); err != nil {
		return err
	}
	return tlog.CheckTree(hashes, tree.size, tree.root, old, root)
}

func answer(words []string) error {
	switch {
	case len(words) == 3 && words[0] == "note":
		msg, err := os.ReadFile(words[2])
		if err != nil {
			return err
		}
		_, err = open(msg, words[1])
		return err
	case len(words) == 2 && words[0] == "export":
		return checkExport(words[1])
	case len(words) == 3 && words[0] == "proof":
		return checkProof(words[1], words[2])
	case len(words) == 4 && words[0] == "consistency":
		return checkConsistency(words[1], words[2], words[3])
	}
	return errors.New("no such question")
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if err := answer(strings.Fields(in.Text())); err != nil {
			fmt.Println("no:", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Println("ok")
		}
	}
}

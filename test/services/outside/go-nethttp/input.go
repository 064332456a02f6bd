package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

const maxBody = 32 << 10

type problem struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// form reads the fields of one JSON object and gathers what is wrong with them.
type form struct {
	fields   map[string]any
	problems []problem
}

func (f *form) bad(field, code, message string) {
	f.problems = append(f.problems, problem{field, code, message})
}

// readForm decodes the body whatever its Content-Type says.
func readForm(w http.ResponseWriter, r *http.Request, known ...string) (*form, *apiError) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooBig *http.MaxBytesError
		if errors.As(err, &tooBig) {
			return nil, &apiError{status: 413, Type: "payload_too_large", Message: "The request body is larger than 32 KiB."}
		}
		return nil, &apiError{status: 400, Type: "invalid_request", Message: "The request body could not be read."}
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err = dec.Decode(&v); err == nil {
		if _, err = dec.Token(); err == io.EOF {
			err = nil
		} else {
			err = errors.New("trailing data")
		}
	}
	if err != nil {
		return nil, &apiError{status: 400, Type: "invalid_request", Message: "The request body is not valid JSON."}
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, invalid([]problem{{"body", "invalid_type", "must be a JSON object"}})
	}
	f := &form{fields: obj}
	allowed := map[string]bool{}
	for _, k := range known {
		allowed[k] = true
	}
	var unknown []string
	for k := range obj {
		if !allowed[k] {
			unknown = append(unknown, k)
		}
	}
	sort.Strings(unknown)
	for _, k := range unknown {
		f.bad(k, "unknown_field", "is not a field of this request")
	}
	return f, nil
}

func (f *form) currency(field string) string {
	switch v := f.fields[field].(type) {
	case nil:
		f.bad(field, "required", "is required")
	case string:
		if _, ok := unitsPerUSD[v]; ok {
			return v
		}
		f.bad(field, "unsupported_currency", "must be a supported three-letter ISO 4217 code in capitals")
	default:
		f.bad(field, "invalid_type", "must be a string")
	}
	return ""
}

func (f *form) amount(field string) cents {
	switch v := f.fields[field].(type) {
	case nil:
		f.bad(field, "required", "is required")
	case json.Number:
		c, err := parseAmount(v)
		if err == nil {
			return c
		}
		code := "out_of_range"
		if err == errAmountDecimals {
			code = "too_precise"
		}
		f.bad(field, code, err.Error())
	default:
		f.bad(field, "invalid_type", "must be a number")
	}
	return 0
}

// text trims what it reads. An optional text that is null or blank counts as not given.
func (f *form) text(field string, required bool, max int) string {
	s := ""
	switch v := f.fields[field].(type) {
	case nil:
	case string:
		s = strings.TrimSpace(v)
	default:
		f.bad(field, "invalid_type", "must be a string")
		return ""
	}
	if s == "" && required {
		f.bad(field, "required", "is required")
	}
	if utf8.RuneCountInString(s) > max {
		f.bad(field, "too_long", fmt.Sprintf("must not be longer than %d characters", max))
	}
	return s
}

var (
	wholeNumber = regexp.MustCompile(`^[0-9]+$`)
	accountForm = regexp.MustCompile(`^[A-Za-z0-9 -]*$`)
)

// accountNumber also takes a whole JSON number: many callers send one.
func (f *form) accountNumber(field string) string {
	if n, ok := f.fields[field].(json.Number); ok && wholeNumber.MatchString(n.String()) {
		f.fields[field] = n.String()
	}
	s := f.text(field, false, 34)
	if !accountForm.MatchString(s) {
		f.bad(field, "invalid_format", "may only contain letters, digits, spaces and hyphens")
	}
	return s
}

func (f *form) result() *apiError {
	if len(f.problems) > 0 {
		return invalid(f.problems)
	}
	return nil
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// cents is an amount of money in hundredths of the currency unit.
type cents int64

func (c cents) MarshalJSON() ([]byte, error) {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return []byte(fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)), nil
}

func (c cents) String() string { b, _ := c.MarshalJSON(); return string(b) }

// micros is an exchange rate in millionths.
type micros int64

func (m micros) MarshalJSON() ([]byte, error) {
	s := fmt.Sprintf("%d.%06d", int64(m)/1e6, int64(m)%1e6)
	s = strings.TrimRight(s, "0")
	return []byte(strings.TrimSuffix(s, ".")), nil
}

const (
	minAmount cents = 1
	maxAmount cents = 99999999999

	feeFixed  cents = 30 // 0.30 of the source currency
	feePerMil       = 9  // plus 0.9 %
	marginPpm       = 8000
)

// unitsPerUSD are the mid-market rates of the desk.
var unitsPerUSD = map[string]string{
	"USD": "1", "EUR": "0.9215", "GBP": "0.7868", "NGN": "1534.5", "GHS": "15.42", "KES": "129.35", "ZAR": "18.217",
	"UGX": "3702", "TZS": "2615", "RWF": "1328", "XOF": "604.46", "XAF": "604.46", "EGP": "48.62", "MAD": "9.93",
	"TND": "3.112", "ZMW": "26.41", "BWP": "13.58", "CNY": "7.2431", "HKD": "7.8105", "JPY": "151.84", "KRW": "1376.2",
	"INR": "83.52", "PKR": "278.4", "BDT": "117.3", "LKR": "303.7", "SGD": "1.3486", "MYR": "4.694", "THB": "36.41",
	"IDR": "16025", "PHP": "57.64", "VND": "25430", "AED": "3.6725", "SAR": "3.7502", "QAR": "3.6415", "TRY": "32.18",
	"CHF": "0.9072", "SEK": "10.724", "NOK": "10.816", "DKK": "6.872", "PLN": "3.958", "CZK": "23.14", "CAD": "1.3679",
	"AUD": "1.5104", "NZD": "1.6452", "BRL": "5.162", "MXN": "16.94",
}

// rateFor gives the customer rate: the mid rate less the margin of the desk,
// half up to six places. A transfer inside one currency is at 1.
func rateFor(from, to string) micros {
	if from == to {
		return 1000000
	}
	f, _ := new(big.Rat).SetString(unitsPerUSD[from])
	t, _ := new(big.Rat).SetString(unitsPerUSD[to])
	r := t.Quo(t, f)
	r.Mul(r, big.NewRat(1000000-marginPpm, 1))
	r.Add(r, big.NewRat(1, 2))
	return micros(new(big.Int).Quo(r.Num(), r.Denom()).Int64())
}

// feeFor is charged on top of the amount and always rounded up to the cent.
func feeFor(amount cents) cents {
	return feeFixed + (amount*feePerMil+999)/1000
}

// convert never pays out a part of a cent: the rest is cut off.
func convert(amount cents, rate micros) cents {
	v := new(big.Int).Mul(big.NewInt(int64(amount)), big.NewInt(int64(rate)))
	return cents(v.Quo(v, big.NewInt(1000000)).Int64())
}

var (
	errAmountRange    = errors.New("must be between 0.01 and 999999999.99")
	errAmountDecimals = errors.New("must not have more than two decimals")
)

func parseAmount(n json.Number) (cents, error) {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil || f < 0.001 || f > 1e10 {
		return 0, errAmountRange
	}
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return 0, errAmountRange
	}
	r.Mul(r, big.NewRat(100, 1))
	if !r.IsInt() {
		return 0, errAmountDecimals
	}
	if !r.Num().IsInt64() {
		return 0, errAmountRange
	}
	c := cents(r.Num().Int64())
	if c < minAmount || c > maxAmount {
		return 0, errAmountRange
	}
	return c, nil
}

//! Currencies, amounts in minor units, rates and fees.
use serde_json::{Number, Value};

#[derive(Debug, PartialEq)]
pub struct Currency {
    pub code: &'static str,
    /// Value of one unit in US dollars, in units of 1e-9.
    usd_nano: i128,
    pub decimals: u32,
}

macro_rules! table {
    ($($code:literal $usd:literal $dec:literal),* $(,)?) => {
        &[$(Currency { code: $code, usd_nano: $usd, decimals: $dec }),*]
    };
}

static CURRENCIES: &[Currency] = table![
    "USD" 1_000_000_000 2, "EUR" 1_087_000_000 2, "GBP" 1_268_500_000 2, "CHF" 1_131_200_000 2,
    "JPY" 6_690_000 0, "CNY" 138_050_000 2, "HKD" 128_100_000 2, "SGD" 742_300_000 2,
    "AUD" 655_400_000 2, "NZD" 601_900_000 2, "CAD" 731_800_000 2, "MXN" 58_640_000 2,
    "BRL" 197_300_000 2, "ARS" 1_012_000 2, "CLP" 1_057_000 0, "COP" 251_700 2,
    "PEN" 268_900_000 2, "SEK" 95_320_000 2, "NOK" 94_110_000 2, "DKK" 145_730_000 2,
    "PLN" 252_600_000 2, "CZK" 43_180_000 2, "HUF" 2_771_000 2, "RON" 218_400_000 2,
    "TRY" 30_940_000 2, "ILS" 270_600_000 2, "AED" 272_294_000 2, "SAR" 266_667_000 2,
    "QAR" 274_725_000 2, "KWD" 3_252_400_000 3, "BHD" 2_659_600_000 3, "OMR" 2_597_400_000 3,
    "JOD" 1_410_400_000 3, "TND" 321_300_000 3, "EGP" 20_740_000 2, "MAD" 99_480_000 2,
    "ZAR" 53_910_000 2, "NGN" 658_200 2, "GHS" 74_620_000 2, "KES" 7_742_000 2,
    "UGX" 262_900 0, "RWF" 764_300 0, "XOF" 1_657_000 0, "XAF" 1_657_000 0,
    "INR" 11_985_000 2, "IDR" 61_730 2, "MYR" 212_700_000 2, "PHP" 17_290_000 2,
    "THB" 27_480_000 2, "VND" 39_380 0, "KRW" 731_500 0, "PKR" 3_594_000 2,
];

pub fn currency(code: &str) -> Option<&'static Currency> {
    CURRENCIES.iter().find(|c| c.code == code)
}

/// Units of `from` -> units of `to`, times 1e6, half up.
pub fn rate(from: &Currency, to: &Currency) -> i128 {
    (from.usd_nano * 1_000_000 + to.usd_nano / 2) / to.usd_nano
}

/// 0.5 % of the sent amount, rounded up to the next minor unit.
pub fn fee(send: i128) -> i128 {
    (send * 5 + 999) / 1000
}

/// What the beneficiary gets: cut after the last minor unit, never rounded up.
pub fn receive(net: i128, rate: i128, from: &Currency, to: &Currency) -> i128 {
    net * rate * 10i128.pow(to.decimals) / (10i128.pow(from.decimals) * 1_000_000)
}

pub fn decimal(units: i128, decimals: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let a = units.abs();
    if decimals == 0 {
        return format!("{sign}{a}");
    }
    let p = 10i128.pow(decimals);
    format!("{sign}{}.{:0w$}", a / p, a % p, w = decimals as usize)
}

pub fn number(units: i128, decimals: u32) -> Value {
    Value::Number(decimal(units, decimals).parse::<Number>().expect("a decimal"))
}

/// Our partners' parsers only know two-decimal numbers: amounts of a
/// three-decimal currency go out as text.
pub fn amount(units: i128, c: &Currency) -> Value {
    if c.decimals == 3 {
        Value::String(decimal(units, 3))
    } else {
        number(units, c.decimals)
    }
}

/// Reads "12", "12.5", "1.2e3"; digits past the minor unit are cut off.
pub fn parse(text: &str, c: &Currency, exponent_allowed: bool) -> Option<i128> {
    let (neg, t) = match text.strip_prefix('-') {
        Some(r) => (true, r),
        None => (false, text),
    };
    let (mantissa, exp) = match t.find(['e', 'E']) {
        Some(i) if exponent_allowed => (&t[..i], t[i + 1..].trim_start_matches('+').parse::<i32>().ok()?),
        Some(_) => return None,
        None => (t, 0),
    };
    let (int, frac) = match mantissa.split_once('.') {
        Some((_, "")) => return None,
        Some((i, f)) => (i, f),
        None => (mantissa, ""),
    };
    if int.is_empty() || !int.bytes().chain(frac.bytes()).all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = format!("{int}{frac}");
    // position of the point after the exponent and the shift to minor units
    let keep = int.len() as i64 + exp as i64 + c.decimals as i64;
    let kept: String = if keep <= 0 {
        "0".into()
    } else if keep as usize <= digits.len() {
        digits[..keep as usize].into()
    } else {
        let trimmed = digits.trim_start_matches('0');
        if trimmed.is_empty() { "0".into() }
        else if keep > 60 { "9".repeat(30) }
        else { format!("{digits}{}", "0".repeat(keep as usize - digits.len())) }
    };
    let kept = kept.trim_start_matches('0');
    let v = if kept.len() > 30 { 10i128.pow(30) } else if kept.is_empty() { 0 } else { kept.parse().ok()? };
    Some(if neg { -v } else { v })
}

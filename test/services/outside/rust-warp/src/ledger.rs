//! Payments, wallet movements and the views of them at a moment.
use crate::money::{self, currency, Currency};
use serde_json::{json, Map, Value};
use std::time::{SystemTime, UNIX_EPOCH};

pub const FAILING: &str = "DE44500105175407324931";
pub const RETURNING: &str = "FR1420041010050500013M02606";
pub const UNAVAILABLE: &str = "NL91ABNA0417164300";

/// Microseconds since 1970.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as i64
}

/// All timestamps are in West Africa Time, with milliseconds.
pub fn stamp(t: i64) -> String {
    let zone = chrono::FixedOffset::east_opt(3600).unwrap();
    let utc = chrono::DateTime::from_timestamp_micros(t).unwrap();
    utc.with_timezone(&zone).format("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}

pub fn http_date(t: i64) -> String {
    let secs = (t + 999_999).div_euclid(1_000_000);
    chrono::DateTime::from_timestamp(secs, 0).unwrap().format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

pub fn unique(seed: &str) -> String {
    use sha2::{Digest, Sha256};
    use std::sync::atomic::{AtomicU64, Ordering};
    static N: AtomicU64 = AtomicU64::new(0);
    let n = N.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let d = Sha256::digest(format!("{seed}/{n}/{nanos}/{}", std::process::id()));
    hex::encode(&d[..10])
}

#[derive(Clone)]
pub struct Order {
    pub from: &'static Currency,
    pub to: &'static Currency,
    pub send: i128,
    pub name: String,
    pub bank: Option<String>,
    pub account: Option<String>,
    pub country: Option<String>,
    pub purpose: Option<String>,
}

pub struct Payment {
    pub id: String,
    pub seq: u64,
    pub order: Order,
    pub fee: i128,
    pub rate: i128,
    pub receive: i128,
    pub created: i64,
    pub processing: i64,
    pub completed: Option<i64>,
    pub failed: Option<i64>,
    pub refunded: Option<i64>,
    rows: [String; 3],
}

impl Payment {
    pub fn new(seq: u64, order: Order, t: i64, speed: f64) -> Payment {
        let at = |secs: f64| t + (secs * 1e6 / speed) as i64;
        let (completed, failed) = match order.account.as_deref() {
            Some(FAILING) => (None, Some(at(4.0))),
            Some(RETURNING) => (Some(at(4.0)), Some(at(8.0))),
            _ => (Some(at(4.0)), None),
        };
        let rate = money::rate(order.from, order.to);
        let fee = money::fee(order.send);
        Payment {
            id: format!("pay_test_{}", unique("payment")),
            seq,
            fee,
            rate,
            receive: money::receive(order.send - fee, rate, order.from, order.to),
            order,
            created: t,
            processing: at(1.5),
            completed,
            failed,
            refunded: failed.map(|f| f + (1e6 / speed) as i64),
            rows: [0; 3].map(|_| format!("txn_{}", unique("row"))),
        }
    }

    pub fn status(&self, t: i64) -> &'static str {
        let past = |m: Option<i64>| m.is_some_and(|m| m <= t);
        if past(self.failed) { "failed" }
        else if past(self.completed) { "completed" }
        else if self.processing <= t { "processing" }
        else { "pending" }
    }

    pub fn view(&self, t: i64) -> Value {
        let o = &self.order;
        json!({
            "id": self.id,
            "status": self.status(t),
            "from_currency": o.from.code,
            "to_currency": o.to.code,
            "send_amount": money::amount(o.send, o.from),
            "fee": money::amount(self.fee, o.from),
            "rate": money::number(self.rate, 6),
            "receive_amount": money::amount(self.receive, o.to),
            "beneficiary": {"name": o.name, "bank": o.bank, "account": o.account, "country": o.country},
            "purpose": o.purpose,
            "created_at": stamp(self.created),
        })
    }

    /// The status changes, in order.
    pub fn changes(&self) -> Vec<(i64, &'static str)> {
        let mut v = vec![(self.created, "pending"), (self.processing, "processing")];
        v.extend(self.completed.map(|t| (t, "completed")));
        v.extend(self.failed.map(|t| (t, "failed")));
        v
    }

    pub fn event(&self, t: i64, status: &str) -> Value {
        let o = &self.order;
        json!({
            "event": format!("payment.{status}"),
            "created_at": stamp(t),
            "data": {
                "id": self.id, "status": status,
                "from_currency": o.from.code, "to_currency": o.to.code,
                "send_amount": money::amount(o.send, o.from),
                "receive_amount": money::amount(self.receive, o.to),
                "mode": "test",
            },
        })
    }
}

#[derive(Clone)]
pub struct Row {
    pub id: String,
    pub kind: &'static str,
    pub status: &'static str,
    pub currency: &'static Currency,
    pub amount: i128,
    pub payment: Option<String>,
    pub text: String,
    pub at: i64,
}

impl Row {
    pub fn view(&self) -> Value {
        json!({
            "id": self.id, "type": self.kind, "status": self.status,
            "currency": self.currency.code,
            "amount": money::amount(self.amount, self.currency),
            "payment_id": self.payment, "description": self.text,
            "created_at": stamp(self.at),
        })
    }
}

pub struct Ledger {
    speed: f64,
    deposits: Vec<Row>,
    pub payments: Vec<std::sync::Arc<Payment>>,
    /// Idempotency-Key -> (the fields of the request, the answer)
    pub keys: std::collections::HashMap<String, (Map<String, Value>, Value)>,
}

impl Ledger {
    pub fn new(speed: f64) -> Ledger {
        let day = 86_400_000_000i64;
        let deposits = [("GBP", 100_000, 9), ("EUR", 75_000, 7), ("USD", 60_000, 6), ("EUR", 25_000, 3), ("USD", 40_000, 2)]
            .into_iter()
            .map(|(code, units, ago)| Row {
                id: format!("txn_{}", unique("deposit")),
                kind: "deposit",
                status: "completed",
                currency: currency(code).unwrap(),
                amount: units * 100,
                payment: None,
                text: format!("{code} wallet funding"),
                at: now() - ago * day,
            })
            .collect();
        Ledger { speed, deposits, payments: vec![], keys: Default::default() }
    }

    /// The answers of the list and of the balances come from a replica that is behind.
    pub fn replica_time(&self) -> i64 {
        now() - (1.2e6 / self.speed) as i64
    }

    /// The list at a moment, newest first.
    pub fn rows(&self, t: i64) -> Vec<Row> {
        let mut v = self.deposits.clone();
        for p in &self.payments {
            let o = &p.order;
            let row = |n: usize, kind, status, amount, text: String, at| Row {
                id: p.rows[n].clone(), kind, status, currency: o.from, amount,
                payment: Some(p.id.clone()), text, at,
            };
            if p.processing <= t {
                v.push(row(0, "payment", p.status(t), p.fee - o.send, format!("Payment to {}", o.name), p.processing));
                v.push(row(1, "fee", "completed", -p.fee, format!("Transfer fee {}", p.id), p.processing));
            }
            if let Some(r) = p.refunded.filter(|r| *r <= t) {
                v.push(row(2, "refund", "completed", o.send - p.fee, format!("Refund of {}", p.id), r));
            }
        }
        v.sort_by_key(|r| r.at); // stable: rows of one moment stay in the order of posting
        v.reverse();
        v
    }

    pub fn balance(&self, c: &Currency, t: i64) -> i128 {
        self.rows(t).iter().filter(|r| r.currency == c).map(|r| r.amount).sum()
    }

    /// What can be spent: the balance less what pending payments will take.
    pub fn available(&self, c: &Currency, t: i64) -> i128 {
        let held: i128 = self.payments.iter()
            .filter(|p| p.order.from == c && p.processing > t)
            .map(|p| p.order.send)
            .sum();
        self.balance(c, t) - held
    }

    pub fn create(&mut self, order: Order) -> std::sync::Arc<Payment> {
        let p = std::sync::Arc::new(Payment::new(self.payments.len() as u64 + 1, order, now(), self.speed));
        self.payments.push(p.clone());
        p
    }
}

//! Payments service: quotes, supplier payments, balances, transactions, webhooks.
mod hooks;
mod ledger;
mod money;

use bytes::Bytes;
use ledger::{now, Ledger, Order};
use money::{currency, Currency};
use serde_json::{json, Map, Value};
use std::{collections::HashMap, convert::Infallible, sync::{Arc, Mutex}};
use warp::http::{HeaderMap, Method, Response};
use warp::{path::FullPath, Filter};

const PREFIX: &str = "/api/v1";
const API_KEY: &str = "service_test_k7Qm2xVb9TzR4nWd8LpY";
const SECRET: &str = "whsec_3fJt6yUq0ZsC5hNe1aKo";
const WINDOW: f64 = 10.0;
const READS: u32 = 150;
const WRITES: u32 = 60;
const MAX_BODY: usize = 65_536;

struct App {
    speed: f64,
    ledger: Mutex<Ledger>,
    /// The windows (end, used) of reads and writes.
    windows: Mutex<[(i64, u32); 2]>,
    hooks: Arc<hooks::Hooks>,
}

struct Failure {
    status: u16,
    kind: &'static str,
    message: String,
    retry_at: Option<i64>,
}

fn fail<T>(status: u16, kind: &'static str, message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { status, kind, message: message.into(), retry_at: None })
}

fn invalid<T>(message: impl Into<String>) -> Result<T, Failure> {
    fail(422, "validation_error", message)
}

fn missing<T>(what: &str) -> Result<T, Failure> {
    fail(404, "not_found", format!("{what} not found"))
}

struct Call {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Call {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim)
    }
}

struct Reply {
    status: u16,
    data: Value,
    replayed: bool,
}

fn ok(status: u16, data: Value) -> Result<Reply, Failure> {
    Ok(Reply { status, data, replayed: false })
}

/// Authorization goes before X-API-Key; a call that writes must not name two keys.
fn authenticate(call: &Call) -> Result<(), Failure> {
    let bearer = call.header("authorization").and_then(|v| {
        let (scheme, key) = v.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    let other = call.header("x-api-key");
    let key = match bearer.or(other) {
        Some(k) if !k.is_empty() => k,
        _ => return fail(401, "authentication_error", "No API key provided"),
    };
    if key != API_KEY {
        return fail(401, "authentication_error", "Invalid API key");
    }
    if call.method != Method::GET && other.is_some_and(|o| o != key) {
        return fail(401, "authentication_error", "Conflicting API keys");
    }
    Ok(())
}

impl App {
    fn answer(&self, call: Call) -> Response<String> {
        let mut known = false;
        let mut usage = None;
        let result = authenticate(&call).and_then(|()| {
            known = true;
            usage = Some(self.count(&call.method)?);
            self.route(&call)
        });
        let mut r = Response::builder()
            .header("content-type", "application/json")
            .header("cache-control", "no-store")
            .header("x-request-id", format!("req_{}", ledger::unique("request")));
        if let Some((limit, left)) = usage {
            r = r.header("x-ratelimit-limit", limit).header("x-ratelimit-remaining", left);
        }
        let body = match result {
            Ok(reply) => {
                if reply.replayed {
                    r = r.header("idempotent-replayed", "true");
                }
                r = r.status(reply.status);
                json!({"success": true, "mode": "test", "data": reply.data})
            }
            Err(f) => {
                r = r.status(f.status);
                if f.status == 401 {
                    r = r.header("www-authenticate", "Bearer");
                }
                if let Some(t) = f.retry_at {
                    r = r.header("retry-after", ledger::http_date(t));
                }
                let mut b = json!({"success": false, "error": {"type": f.kind, "message": f.message}});
                if known {
                    b["mode"] = json!("test");
                }
                b
            }
        };
        r.body(body.to_string()).unwrap()
    }

    /// Fixed windows, one for reads and one for writes; refused calls are not counted.
    fn count(&self, method: &Method) -> Result<(u32, u32), Failure> {
        let (slot, limit) = if *method == Method::GET { (0, READS) } else { (1, WRITES) };
        let mut windows = self.windows.lock().unwrap();
        let (end, used) = &mut windows[slot];
        let t = now();
        if t >= *end {
            *end = t + (WINDOW * 1e6 / self.speed) as i64;
            *used = 0;
        }
        if *used >= limit {
            return Err(Failure {
                status: 429,
                kind: "rate_limit_exceeded",
                message: "Too many requests".into(),
                retry_at: Some(*end),
            });
        }
        *used += 1;
        Ok((limit, limit - *used))
    }

    fn route(&self, call: &Call) -> Result<Reply, Failure> {
        let Some(path) = call.path.strip_prefix(PREFIX) else { return missing("Resource") };
        let id = path.strip_prefix("/payments/").filter(|id| !id.is_empty() && !id.contains('/'));
        let allowed = match path {
            "/quotes" | "/payments" => Method::POST,
            "/balance" | "/transactions" => Method::GET,
            _ if id.is_some() => Method::GET,
            _ => return missing("Resource"),
        };
        if call.method != allowed {
            return fail(405, "method_not_allowed", format!("{} is not allowed here", call.method));
        }
        match path {
            "/quotes" => self.quote(call),
            "/payments" => self.create(call),
            "/balance" => self.balance(),
            "/transactions" => self.transactions(call),
            _ => self.payment(id.unwrap_or_default()),
        }
    }

    fn quote(&self, call: &Call) -> Result<Reply, Failure> {
        let fields = read_body(call)?;
        only(&fields, &["from_currency", "to_currency", "amount"])?;
        let (from, to, send) = exchange(&fields, "0.01", "1000000")?;
        let fee = money::fee(send);
        let rate = money::rate(from, to);
        ok(200, json!({
            "from_currency": from.code,
            "to_currency": to.code,
            "send_amount": money::amount(send, from),
            "fee": money::amount(fee, from),
            "rate": money::number(rate, 6),
            "receive_amount": money::amount(money::receive(send - fee, rate, from, to), to),
        }))
    }

    fn create(&self, call: &Call) -> Result<Reply, Failure> {
        let fields = read_body(call)?;
        only(&fields, &[
            "from_currency", "to_currency", "amount", "beneficiary_name", "beneficiary_bank",
            "beneficiary_account", "beneficiary_country", "purpose",
        ])?;
        let (from, to, send) = exchange(&fields, "1", "250000")?;
        let Some(name) = text(&fields, "beneficiary_name")? else {
            return invalid("The beneficiary_name field is required");
        };
        let order = Order {
            from,
            to,
            send,
            name,
            bank: text(&fields, "beneficiary_bank")?,
            account: text(&fields, "beneficiary_account")?,
            country: text(&fields, "beneficiary_country")?,
            purpose: text(&fields, "purpose")?,
        };
        let mut ledger = self.ledger.lock().unwrap();
        let key = call.header("idempotency-key").filter(|k| !k.is_empty());
        if let Some((before, data)) = key.and_then(|k| ledger.keys.get(k)) {
            if *before != fields {
                return invalid("This Idempotency-Key was used with another request");
            }
            return Ok(Reply { status: 201, data: data.clone(), replayed: true });
        }
        if order.account.as_deref() == Some(ledger::UNAVAILABLE) {
            return Err(Failure {
                status: 503,
                kind: "service_unavailable",
                message: "The beneficiary bank cannot be reached".into(),
                retry_at: Some(now() + (2e6 / self.speed) as i64),
            });
        }
        if send > ledger.available(from, now()) {
            return fail(422, "insufficient_funds", format!("Insufficient {} balance", from.code));
        }
        let payment = ledger.create(order);
        let data = payment.view(payment.created);
        if let Some(k) = key {
            ledger.keys.insert(k.to_string(), (fields, data.clone()));
        }
        self.hooks.plan(&payment);
        ok(201, data)
    }

    fn payment(&self, id: &str) -> Result<Reply, Failure> {
        let ledger = self.ledger.lock().unwrap();
        match ledger.payments.iter().find(|p| p.id == id) {
            Some(p) => ok(200, p.view(now())),
            None => missing("Payment"),
        }
    }

    fn balance(&self) -> Result<Reply, Failure> {
        let ledger = self.ledger.lock().unwrap();
        let t = ledger.replica_time();
        let list: Vec<Value> = ["USD", "EUR", "GBP"]
            .into_iter()
            .filter_map(currency)
            .map(|c| json!({"currency": c.code, "balance": money::amount(ledger.balance(c, t), c)}))
            .collect();
        ok(200, json!({ "balances": list }))
    }

    fn transactions(&self, call: &Call) -> Result<Reply, Failure> {
        let query: HashMap<String, String> = form_urlencoded::parse(call.query.as_bytes()).into_owned().collect();
        let integer = |name: &str, default: usize, max: usize| match query.get(name) {
            None => Ok(default),
            Some(v) => match v.parse::<usize>() {
                Ok(n) if (1..=max).contains(&n) && v.bytes().all(|b| b.is_ascii_digit()) => Ok(n),
                _ => invalid(format!("The {name} parameter must be an integer from 1 to {max}")),
            },
        };
        let one_of = |name: &str, values: &[&str]| match query.get(name) {
            Some(v) if !values.contains(&v.as_str()) => {
                invalid(format!("The {name} parameter must be one of {}", values.join(", ")))
            }
            other => Ok(other.cloned()),
        };
        let per_page = integer("per_page", 20, 100)?;
        let page = integer("page", 1, 1_000_000)?;
        let status = one_of("status", &["pending", "processing", "completed", "failed"])?;
        let kind = one_of("type", &["deposit", "payment", "fee", "refund"])?;
        let ledger = self.ledger.lock().unwrap();
        let rows: Vec<_> = ledger
            .rows(ledger.replica_time())
            .into_iter()
            .filter(|r| status.as_deref().is_none_or(|s| s == r.status) && kind.as_deref().is_none_or(|k| k == r.kind))
            .collect();
        let list: Vec<Value> = rows.iter().skip((page - 1) * per_page).take(per_page).map(|r| r.view()).collect();
        ok(200, json!({
            "transactions": list,
            "pagination": {
                "page": page,
                "per_page": per_page,
                "total": rows.len(),
                "total_pages": rows.len().div_ceil(per_page),
            },
        }))
    }
}

/// JSON (also without a type or as text) or a form.
fn read_body(call: &Call) -> Result<Map<String, Value>, Failure> {
    if call.body.len() > MAX_BODY {
        return fail(413, "request_too_large", "The body is larger than 64 KB");
    }
    let kind = call.header("content-type").unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    match kind.as_str() {
        "" | "application/json" | "text/json" | "text/plain" => match serde_json::from_slice(&call.body) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(_) => invalid("The request body must be a JSON object"),
            Err(_) => invalid("The request body is not valid JSON"),
        },
        "application/x-www-form-urlencoded" => Ok(form_urlencoded::parse(&call.body)
            .map(|(k, v)| (k.into_owned(), Value::String(v.into_owned())))
            .collect()),
        _ => fail(415, "unsupported_media_type", format!("Content-Type {kind} is not supported")),
    }
}

fn only(fields: &Map<String, Value>, names: &[&str]) -> Result<(), Failure> {
    match fields.keys().find(|k| !names.contains(&k.as_str())) {
        Some(k) => invalid(format!("Unknown field {k}")),
        None => Ok(()),
    }
}

/// The two currencies and the amount in minor units.
fn exchange(fields: &Map<String, Value>, min: &str, max: &str) -> Result<(&'static Currency, &'static Currency, i128), Failure> {
    let code = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => invalid(format!("The {name} field is required")),
        Some(Value::String(s)) => match currency(s) {
            Some(c) => Ok(c),
            None => invalid(format!("The {name} field is not a supported currency")),
        },
        Some(_) => invalid(format!("The {name} field must be a string")),
    };
    let (from, to) = (code("from_currency")?, code("to_currency")?);
    let amount = match fields.get("amount") {
        None | Some(Value::Null) => return invalid("The amount field is required"),
        Some(Value::Number(n)) => money::parse(&n.to_string(), from, true),
        Some(Value::String(s)) => money::parse(s, from, false),
        Some(_) => None,
    };
    let Some(send) = amount else { return invalid("The amount field must be a number") };
    // the least amount is never below one minor unit of the currency
    let least = money::parse(min, from, false).unwrap_or(1).max(1);
    let most = money::parse(max, from, false).unwrap_or(i128::MAX);
    if send < least {
        return invalid(format!("The amount must be at least {}", money::decimal(least, from.decimals)));
    }
    if send > most {
        return invalid(format!("The amount must not be greater than {}", money::decimal(most, from.decimals)));
    }
    Ok((from, to, send))
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, Failure> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(s)) if s.trim().is_empty() => invalid(format!("The {name} field must not be empty")),
        Some(Value::String(s)) if s.chars().count() > 255 => {
            invalid(format!("The {name} field must not be longer than 255 characters"))
        }
        Some(Value::String(s)) => Ok(Some(s.clone())),
        Some(_) => invalid(format!("The {name} field must be a string")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).cloned();
    let port: u16 = option("--port").and_then(|p| p.parse().ok()).unwrap_or(0);
    let speed: f64 = option("--speed").and_then(|s| s.parse().ok()).filter(|s| *s > 0.0).unwrap_or(1.0);
    let app = Arc::new(App {
        speed,
        ledger: Mutex::new(Ledger::new(speed)),
        windows: Mutex::new([(0, 0); 2]),
        hooks: hooks::Hooks::new(option("--webhook-url"), SECRET, speed),
    });
    let query = warp::query::raw().or(warp::any().map(String::new)).unify();
    let routes = warp::any()
        .map(move || app.clone())
        .and(warp::method())
        .and(warp::path::full())
        .and(query)
        .and(warp::header::headers_cloned())
        .and(warp::body::bytes())
        .and_then(|app: Arc<App>, method, path: FullPath, query, headers, body| async move {
            let call = Call { method, path: path.as_str().to_string(), query, headers, body };
            Ok::<_, Infallible>(app.answer(call))
        });
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("port is free");
    let port = listener.local_addr().unwrap().port();
    println!("{}", json!({
        "baseUrl": format!("http://127.0.0.1:{port}{PREFIX}"),
        "apiKey": API_KEY,
        "webhookSecret": SECRET,
        "foreignPayment": format!("pay_test_{}", ledger::unique("other account")),
        "accounts": {
            "failing": ledger::FAILING,
            "returning": ledger::RETURNING,
            "unavailable": ledger::UNAVAILABLE,
        },
    }));
    warp::serve(routes).incoming(listener).run().await;
}

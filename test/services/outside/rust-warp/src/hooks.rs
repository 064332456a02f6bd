//! Webhook deliveries.
use crate::ledger::{now, unique, Payment};
use bytes::Bytes;
use hmac::{Hmac, Mac};
use http_body_util::Full;
use hyper_util::client::legacy::{connect::HttpConnector, Client};
use std::{sync::Arc, time::Duration};

const RETRIES: [f64; 6] = [5.0, 300.0, 1800.0, 7200.0, 21600.0, 86400.0];

pub struct Hooks {
    url: Option<String>,
    secret: String,
    speed: f64,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Hooks {
    pub fn new(url: Option<String>, secret: &str, speed: f64) -> Arc<Hooks> {
        let client = Client::builder(hyper_util::rt::TokioExecutor::new())
            .pool_idle_timeout(Duration::from_secs(2))
            .build_http();
        Arc::new(Hooks { url, secret: secret.into(), speed, client })
    }

    fn scaled(&self, secs: f64) -> Duration {
        Duration::from_secs_f64(secs / self.speed)
    }

    /// Plans every notification of a new payment.
    pub fn plan(self: &Arc<Self>, p: &Payment) {
        if self.url.is_none() {
            return;
        }
        let changes = p.changes();
        let late = (0.5e6 / self.speed) as i64;
        let last = changes.len() - 1;
        for (i, (at, status)) in changes.iter().enumerate() {
            let body = Bytes::from(p.event(*at, status).to_string());
            let id = format!("evt_{}", unique("event"));
            let name = format!("payment.{status}");
            // The queue's partitions do not keep the order of every payment.
            let mut when = vec![*at];
            if *status == "processing" && p.seq % 4 == 0 {
                when = vec![changes[last].0 + late];
            }
            if i == last && p.seq % 3 == 0 {
                when.push(*at + late);
            }
            for t in when {
                let (me, body, id, name) = (self.clone(), body.clone(), id.clone(), name.clone());
                tokio::spawn(async move {
                    let wait = (t - now()).max(0) as u64;
                    tokio::time::sleep(Duration::from_micros(wait)).await;
                    me.deliver(body, id, name).await;
                });
            }
        }
    }

    async fn deliver(&self, body: Bytes, id: String, event: String) {
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(self.secret.as_bytes()).unwrap();
        mac.update(&body);
        let signature = hex::encode(mac.finalize().into_bytes());
        for attempt in 0..=RETRIES.len() {
            let request = warp::http::Request::post(self.url.as_deref().unwrap())
                .header("content-type", "application/json")
                .header("user-agent", "payserv-hooks/1.4")
                .header("x-service-signature", &signature)
                .header("x-service-event", &event)
                .header("x-service-delivery", &id)
                .body(Full::new(body.clone()));
            let Ok(request) = request else { return };
            let limit = self.scaled(10.0).max(Duration::from_secs(1));
            if let Ok(Ok(answer)) = tokio::time::timeout(limit, self.client.request(request)).await {
                if answer.status().as_u16() == 200 {
                    return;
                }
            }
            match RETRIES.get(attempt) {
                Some(secs) => tokio::time::sleep(self.scaled(*secs)).await,
                None => return,
            }
        }
    }
}

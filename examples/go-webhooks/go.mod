module example.com/go-webhooks

go 1.22

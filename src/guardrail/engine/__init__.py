"""The engine: detectors are generators that yield requests; here they are scheduled and their requests are carried out.

```
flow      requests, replies, flows        backend   the port: who answers requests
run       scheduler of one guard call     lanes     a queue in front of each backend (jobs: what is in it)
budget    what a call may spend           hub       which backend answers what, and the lasting store
drivers   the two pumps, sync and async   codec     requests and replies as JSON; lasting keys
watchdog  calls that hang                 draws     random numbers of a request and a seed
```

It knows no method and no model. Decisions and figures: `docs/design/core.md`.
"""

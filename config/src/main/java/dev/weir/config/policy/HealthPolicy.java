package dev.weir.config.policy;

/** A port of its own for health checks, which the requests of operators can't delay. */
public record HealthPolicy(
    @ConfigKey(
            value = "false",
            doc =
                "Whether the gateway answers /livez and /readyz on a port of its own. The admin"
                    + " port answers them too. Probes of an orchestrator or a load balancer belong"
                    + " here: this port needs no credentials and shows no more than the status.")
        boolean enabled,
    @ConfigKey(
            value = "127.0.0.1:9260",
            doc =
                "Address and port of the health checks. Each process on a machine needs a port of"
                    + " its own.")
        HostPort listen,
    @ConfigKey(
            value = "false",
            doc =
                "Whether this port also serves /metrics, for a monitoring system without"
                    + " credentials. Metrics name clusters, nodes, tenants and policies.")
        boolean metricsEnabled) {}

package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** The port for clients. */
public record HttpPolicy(
    @ConfigKey(
            value = "127.0.0.1:9200",
            doc = "Address and port on which the gateway listens for clients.")
        HostPort listen,
    @ConfigKey(
            value = "false",
            doc =
                "Whether several gateways of the same user on one machine may listen on the same"
                    + " port, so that a new process can replace an old one without a refused"
                    + " connection (Linux only). Such a gateway starts to listen when it is ready."
                    + " Each process needs an admin.listen of its own.")
        boolean reusePort,
    @ConfigKey(
            value = "0",
            min = "0",
            max = "256",
            doc =
                "Event loops, which serve clients and node connections. 0: one for each processor.")
        int eventLoops,
    @ConfigKey(
            value = "100mb",
            min = "1kb",
            max = "1gb",
            doc =
                "Longest request body, like http.max_content_length of a node. Longer ones get 413."
                    + " A body of more than half of admission.max-total-body-bytes streams through"
                    + " to a node.")
        ByteSize maxBodyBytes,
    @ConfigKey(
            value = "10000",
            min = "1",
            max = "1000000",
            doc =
                "Open client connections. To accept one more, the gateway closes the oldest"
                    + " connection that has sent no request within a second of opening, or else the"
                    + " one that has been idle longest.")
        int maxConnections,
    @ConfigKey(
            value = "0.75",
            min = "0.01",
            max = "1",
            doc =
                "The part of the open connections, of the connections to nodes and the requests"
                    + " that wait for one, and of the memory for gathered bodies and for responses"
                    + " that one client address may use; the rest stays for others. An IPv6 client"
                    + " counts by its first 64 bits. Set 1 behind a proxy, whose address stands for"
                    + " all clients.")
        double maxAddressRatio,
    @ConfigKey(
            value = "1h",
            min = "1s",
            max = "1d",
            doc = "The gateway closes a client connection that was idle for this long.")
        Duration idleTimeout,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Addresses and networks, such as 10.1.0.0/16, of the proxies in front of the"
                    + " gateway. Only they may set the headers by which a node learns who a client"
                    + " is and where it connects from: X-Forwarded-For, Forwarded, x-proxy-user,"
                    + " x-proxy-roles, x-proxy-ext-* and identity-headers. The gateway drops these"
                    + " headers of everybody else. It appends the address of each connection to"
                    + " X-Forwarded-For.")
        List<String> trustedProxies,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Further headers that only trusted-proxies may set: those that user_header,"
                    + " roles_header or remoteIpHeader of the nodes' security configuration name,"
                    + " where these are not the usual ones.")
        List<String> identityHeaders,
    @Dynamic
        @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Further headers that say nothing about who a client is, such as a number of each"
                    + " request. Where authorization is gateway, what a node has said about a"
                    + " client is used again only for requests that are equal in all other headers."
                    + " The gateway knows those of common tracers and load balancers, and"
                    + " admission.deadline.timeout-header.")
        List<String> neutralHeaders,
    @ConfigKey(
            value = "false",
            doc =
                "Whether connections from trusted-proxies begin with the header of the PROXY"
                    + " protocol, version 2, which names the client's address. The gateway closes a"
                    + " connection from there that begins otherwise, and takes the named address"
                    + " for that of the connection. It accepts no such header from anybody else.")
        boolean proxyProtocolEnabled,
    SlowClientsPolicy slowClients,
    CompressionPolicy compression,
    SniffingPolicy sniffing,
    TlsServerPolicy tls,
    ClientCertificatesPolicy clientCertificates) {}

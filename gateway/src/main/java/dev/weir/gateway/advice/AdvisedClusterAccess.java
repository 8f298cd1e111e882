package dev.weir.gateway.advice;

import dev.weir.config.policy.TlsClientPolicy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * How the page {@code /advise} reaches a cluster.
 *
 * @param restAddresses of the nodes' REST ports, as the newest cluster view has them
 * @param tls of these ports
 * @param curlOptions what sends a printed command through the gateway to this cluster
 */
public record AdvisedClusterAccess(
    Supplier<List<InetSocketAddress>> restAddresses, TlsClientPolicy tls, String curlOptions) {}

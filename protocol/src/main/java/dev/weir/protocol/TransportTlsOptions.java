package dev.weir.protocol;

import io.netty.handler.ssl.SslContext;
import java.util.function.Supplier;

/**
 * The encryption of channels to nodes.
 *
 * @param context provides the client's key, certificate and trusted authorities, without endpoint
 *     identification; called for each connection, on an event loop, so that they may change while
 *     the gateway runs
 * @param verifyHostname a node's certificate must contain the host name of the connection
 */
public record TransportTlsOptions(Supplier<SslContext> context, boolean verifyHostname) {}

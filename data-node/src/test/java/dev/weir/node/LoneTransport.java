package dev.weir.node;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import org.opensearch.Version;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.transport.BoundTransportAddress;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.telemetry.tracing.noop.NoopTracer;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.Transport;
import org.opensearch.transport.TransportService;

/** The transport of a node without connections, which sends requests to itself. */
public final class LoneTransport {
  private LoneTransport() {}

  /** Starts it; the caller closes it. */
  public static TransportService start(ThreadPool threads) {
    TransportAddress address = new TransportAddress(InetAddress.getLoopbackAddress(), 9300);
    Transport.RequestHandlers requests = new Transport.RequestHandlers();
    Transport.ResponseHandlers responses = new Transport.ResponseHandlers();
    InvocationHandler handler =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "getRequestHandlers" -> requests;
              case "getResponseHandlers" -> responses;
              case "boundAddress" ->
                  new BoundTransportAddress(new TransportAddress[] {address}, address);
              case "profileBoundAddresses" -> Map.of();
              case "registerRequestHandler" ->
                  InvocationHandler.invokeDefault(proxy, method, arguments);
              case "toString" -> "no transport";
              default -> null;
            };
    TransportService transport =
        new TransportService(
            Settings.EMPTY,
            (Transport)
                Proxy.newProxyInstance(
                    LoneTransport.class.getClassLoader(),
                    new Class<?>[] {Transport.class},
                    handler),
            threads,
            TransportService.NOOP_TRANSPORT_INTERCEPTOR,
            bound -> new DiscoveryNode("lone", "n1", address, Map.of(), Set.of(), Version.CURRENT),
            null,
            Set.of(),
            NoopTracer.INSTANCE);
    transport.start();
    transport.acceptIncomingRequests();
    return transport;
  }
}

package dev.weir.rest;

import dev.weir.model.HttpExchange;
import dev.weir.rest.sniffing.GatewayNodesInfoRewriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;
import org.opensearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.opensearch.common.settings.SettingsFilter;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.Strings;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.admin.cluster.RestNodesInfoAction;
import org.opensearch.transport.client.node.NodeClient;

/**
 * Rewrites nodes info responses with REST addresses. Clients that sniff would otherwise connect to
 * the nodes directly; here they find gateways. A request for nothing but addresses gets a
 * description of the gateways; other requests get the nodes with the gateways' addresses.
 *
 * <p>The nodes have already removed filtered settings.
 */
final class RestGatewayNodesInfoAction extends RestNodesInfoAction {
  private static final Set<String> METRICS = NodesInfoRequest.Metric.allMetrics();
  private static final String ALL_NODES = "_all";

  /** The path segments that a node treats as endpoints, but this handler as node names. */
  private static final Set<String> ENDPOINTS =
      Set.of("stats", "usage", "hot_threads", "hotthreads", "reload_secure_settings");

  private final GatewayAddressProvider gateways;

  RestGatewayNodesInfoAction(GatewayAddressProvider gateways) {
    super(new SettingsFilter(List.of()));
    this.gateways = gateways;
  }

  /**
   * Returns true if the response to a request with these path parameters contains REST addresses.
   */
  static boolean hasAddresses(Map<String, String> params) {
    String nodes = params.getOrDefault("nodeId", ALL_NODES);
    String metrics = params.get("metrics");
    if (ENDPOINTS.contains(nodes)) {
      return false;
    }
    if (metrics == null) {
      Set<String> words = Strings.tokenizeByCommaToSet(nodes);
      return hasHttpMetric(words) || !METRICS.containsAll(words);
    }
    return hasHttpMetric(Strings.tokenizeByCommaToSet(metrics));
  }

  private static boolean hasHttpMetric(Set<String> metrics) {
    return metrics.contains(NodesInfoRequest.Metric.HTTP.metricName())
        || (metrics.size() == 1 && metrics.contains(ALL_NODES));
  }

  @Override
  public RestChannelConsumer prepareRequest(RestRequest request, NodeClient client)
      throws IOException {
    return super.prepareRequest(
        request, new AddressRewritingClient(client, ExchangeHttpChannel.of(request)));
  }

  /** Forwards requests and rewrites their responses. */
  private final class AddressRewritingClient extends NodeClient {
    private final NodeClient inner;
    private final RestExchange exchange;

    AddressRewritingClient(NodeClient inner, ExchangeHttpChannel channel) {
      super(inner.settings(), inner.threadPool());
      this.inner = inner;
      this.exchange = channel.exchange();
    }

    @Override
    @SuppressWarnings("unchecked") // an action's response has the action's type
    public <Q extends ActionRequest, R extends ActionResponse> void doExecute(
        ActionType<R> action, Q request, ActionListener<R> listener) {
      inner.execute(
          action,
          request,
          ActionListener.wrap(
              answer ->
                  listener.onResponse(
                      (R) rewrite((NodesInfoRequest) request, (NodesInfoResponse) answer)),
              listener::onFailure));
    }

    private NodesInfoResponse rewrite(NodesInfoRequest request, NodesInfoResponse answer) {
      HttpExchange http = exchange.http();
      boolean addressesOnly =
          request.requestedMetrics().equals(Set.of(NodesInfoRequest.Metric.HTTP.metricName()));
      return addressesOnly
          ? GatewayNodesInfoRewriter.replaceNodes(answer, gateways.addressesFor(http))
          : GatewayNodesInfoRewriter.replaceAddresses(answer, gateways.addressesFor(http));
    }
  }
}

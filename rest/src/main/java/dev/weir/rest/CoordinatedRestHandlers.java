package dev.weir.rest;

import dev.weir.model.NodeRequestRules;
import dev.weir.rest.bulk.BulkStreamingOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.Settings;
import org.opensearch.rest.action.document.RestDeleteAction;
import org.opensearch.rest.action.document.RestGetAction;
import org.opensearch.rest.action.document.RestGetSourceAction;
import org.opensearch.rest.action.document.RestIndexAction;
import org.opensearch.rest.action.document.RestMultiGetAction;
import org.opensearch.rest.action.document.RestUpdateAction;
import org.opensearch.rest.action.search.RestClearScrollAction;
import org.opensearch.rest.action.search.RestCountAction;
import org.opensearch.rest.action.search.RestCreatePitAction;
import org.opensearch.rest.action.search.RestDeletePitAction;

/** Creates the REST handlers that the gateway serves itself: OpenSearch's and its own. */
final class CoordinatedRestHandlers {
  /** The action name of nodes info requests. */
  static final String NODES_INFO = "nodes_info";

  static final String MULTI_SEARCH = "msearch";
  static final String MULTI_GET = "mget";

  private CoordinatedRestHandlers() {}

  /**
   * Creates the handlers.
   *
   * @param extensions the responses that differ from a node's, and the nodes' rules
   * @param streamed counts streaming bulks
   * @param export the handler of exports
   */
  static List<CoordinatedRestHandler> create(
      Settings settings,
      RestDispatcher.RestExtensions extensions,
      StreamingBulkCounts streamed,
      RestExportAction export) {
    List<CoordinatedRestHandler> handlers =
        new ArrayList<>(createDocumentHandlers(settings, extensions, streamed));
    handlers.add(
        new CoordinatedRestHandler(
            "search",
            new RestFormattedSearchAction(
                extensions.responseFormats(), extensions.streamSearch())));
    handlers.add(new CoordinatedRestHandler(RestExportAction.ACTION, export));
    GatewayAddressProvider gateways = extensions.gatewayAddresses();
    if (gateways != null) {
      handlers.add(
          new CoordinatedRestHandler(NODES_INFO, new RestGatewayNodesInfoAction(gateways)));
    }
    return handlers;
  }

  private static List<CoordinatedRestHandler> createDocumentHandlers(
      Settings settings, RestDispatcher.RestExtensions extensions, StreamingBulkCounts streamed) {
    Supplier<NodeRequestRules> rules = extensions.nodeRules();
    SearchResponseFormats formats = extensions.responseFormats();
    return List.of(
        new CoordinatedRestHandler(
            MULTI_SEARCH,
            ExplicitIndexHandler.create(
                configured -> new RestPartwiseMultiSearchAction(configured, formats),
                settings,
                rules)),
        new CoordinatedRestHandler("scroll", new RestFormattedScrollAction(formats)),
        new CoordinatedRestHandler("clear_scroll", new RestClearScrollAction()),
        new CoordinatedRestHandler("count", new RestCountAction()),
        new CoordinatedRestHandler("create_pit", new RestCreatePitAction()),
        new CoordinatedRestHandler("delete_pit", new RestDeletePitAction()),
        new CoordinatedRestHandler(
            BulkStreamingOptions.ACTION,
            ExplicitIndexHandler.create(
                configured -> new RestFastBulkAction(configured, streamed), settings, rules)),
        new CoordinatedRestHandler("index", new RestIndexAction()),
        new CoordinatedRestHandler("create", new RestIndexAction.CreateHandler()),
        new CoordinatedRestHandler(
            "index", new RestIndexAction.AutoIdHandler(() -> DiscoveryNodes.EMPTY_NODES)),
        new CoordinatedRestHandler("get", new RestGetAction()),
        new CoordinatedRestHandler("get_source", new RestGetSourceAction()),
        new CoordinatedRestHandler(
            MULTI_GET, ExplicitIndexHandler.create(RestMultiGetAction::new, settings, rules)),
        new CoordinatedRestHandler("delete", new RestDeleteAction()),
        new CoordinatedRestHandler("update", new RestUpdateAction()));
  }
}

package dev.weir.rest;

import java.util.ArrayList;
import java.util.List;
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
import org.opensearch.rest.action.search.RestMultiSearchAction;
import org.opensearch.rest.action.search.RestSearchScrollAction;

/** The REST handlers whose requests the gateway answers itself: a node's, and its own. */
final class CoordinatedHandlers {
  /** What requests for the nodes' descriptions are called. */
  static final String NODES_INFO = "nodes_info";

  private CoordinatedHandlers() {}

  /**
   * Makes them.
   *
   * @param settings of the nodes: {@code rest.action.multi.allow_explicit_index} is read
   * @param differing what is answered otherwise than by a node
   * @param streamed counts bulks that are carried out while they come
   * @param export the handler of exports
   */
  static List<CoordinatedHandler> create(
      Settings settings,
      RestFrontDoor.Differing differing,
      StreamedBulks streamed,
      ExportAction export) {
    List<CoordinatedHandler> handlers = new ArrayList<>(ofDocuments(settings, streamed));
    handlers.add(new CoordinatedHandler("search", new FormedSearchAction(differing.forms())));
    handlers.add(new CoordinatedHandler(ExportAction.ACTION, export));
    GatewayAddresses gateways = differing.gateways();
    if (gateways != null) {
      handlers.add(new CoordinatedHandler(NODES_INFO, new NodesInfoAction(gateways)));
    }
    return handlers;
  }

  private static List<CoordinatedHandler> ofDocuments(Settings settings, StreamedBulks streamed) {
    return List.of(
        new CoordinatedHandler("msearch", new RestMultiSearchAction(settings)),
        new CoordinatedHandler("scroll", new RestSearchScrollAction()),
        new CoordinatedHandler("clear_scroll", new RestClearScrollAction()),
        new CoordinatedHandler("count", new RestCountAction()),
        new CoordinatedHandler("create_pit", new RestCreatePitAction()),
        new CoordinatedHandler("delete_pit", new RestDeletePitAction()),
        new CoordinatedHandler(BulkStreaming.ACTION, new BulkLinesAction(settings, streamed)),
        new CoordinatedHandler("index", new RestIndexAction()),
        new CoordinatedHandler("create", new RestIndexAction.CreateHandler()),
        new CoordinatedHandler(
            "index", new RestIndexAction.AutoIdHandler(() -> DiscoveryNodes.EMPTY_NODES)),
        new CoordinatedHandler("get", new RestGetAction()),
        new CoordinatedHandler("get_source", new RestGetSourceAction()),
        new CoordinatedHandler("mget", new RestMultiGetAction(settings)),
        new CoordinatedHandler("delete", new RestDeleteAction()),
        new CoordinatedHandler("update", new RestUpdateAction()));
  }
}

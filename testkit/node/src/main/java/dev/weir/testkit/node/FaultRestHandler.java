package dev.weir.testkit.node;

import java.util.List;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.transport.client.node.NodeClient;

/**
 * The endpoint {@code /_weir_faults}: PUT switches the faults of this node, GET tells the counts.
 */
final class FaultRestHandler extends BaseRestHandler {
  private static final String PATH = "/_weir_faults";

  private final SearchFaults faults;

  FaultRestHandler(SearchFaults faults) {
    this.faults = faults;
  }

  @Override
  public String getName() {
    return "weir_faults";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, PATH), new Route(RestRequest.Method.PUT, PATH));
  }

  @Override
  protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
    if (request.method() == RestRequest.Method.PUT) {
      change(request.param("searches", ""), request.param("fetches", ""));
    }
    String counts =
        "{\"searches\":%d,\"failed\":%d,\"unfetched\":%d}"
            .formatted(faults.searches(), faults.failed(), faults.fetchFaults());
    return channel ->
        channel.sendResponse(new BytesRestResponse(RestStatus.OK, "application/json", counts));
  }

  private void change(String searches, String fetches) {
    if (!fetches.isEmpty()) {
      faults.setFetchFault(FetchFault.of(fetches));
    }
    switch (searches) {
      case "fail" -> faults.setFailing(true);
      case "pass" -> faults.setFailing(false);
      default -> {
        if (fetches.isEmpty() || !searches.isEmpty()) {
          throw new IllegalArgumentException(
              "got searches [" + searches + "] (expected: fail or pass)");
        }
      }
    }
  }
}

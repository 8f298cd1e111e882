package dev.weir.testkit.node;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.rest.BaseRestHandler;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.action.RestToXContentListener;
import org.opensearch.transport.client.node.NodeClient;

/**
 * The endpoint {@code /_weir_unknown}: GET answers a constant, PUT and DELETE change the unknown
 * custom.
 */
final class UnknownRestHandler extends BaseRestHandler {
  private static final String PATH = "/_weir_unknown";

  @Override
  public String getName() {
    return "weir_unknown";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(RestRequest.Method.GET, PATH),
        new Route(RestRequest.Method.PUT, PATH),
        new Route(RestRequest.Method.DELETE, PATH));
  }

  @Override
  protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
    if (request.method() == RestRequest.Method.GET) {
      return channel ->
          channel.sendResponse(
              new BytesRestResponse(RestStatus.OK, "application/json", "{\"weir\":\"unknown\"}"));
    }
    @Nullable String value =
        request.method() == RestRequest.Method.PUT ? request.param("value", "set") : null;
    return channel ->
        client.execute(
            UnknownAction.TYPE, new UnknownRequest(value), new RestToXContentListener<>(channel));
  }
}

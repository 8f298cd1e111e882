package dev.weir.testkit.node;

import java.util.function.UnaryOperator;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.plugins.ActionPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestHandler;

/**
 * Guards the REST port of a node and nothing else, as some plugins do: a request without an
 * Authorization header gets 401. The transport port stays open.
 */
public final class RestGuardPlugin extends Plugin implements ActionPlugin {
  /** Makes the plugin; OpenSearch does. */
  public RestGuardPlugin() {}

  @Override
  @SuppressWarnings("removal") // nothing replaces it in the versions that nodes run
  public UnaryOperator<RestHandler> getRestHandlerWrapper(ThreadContext threadContext) {
    return handler ->
        (request, channel, client) -> {
          if (request.header("Authorization") == null) {
            channel.sendResponse(
                new BytesRestResponse(RestStatus.UNAUTHORIZED, "text/plain", "who are you?"));
          } else {
            handler.handleRequest(request, channel, client);
          }
        };
  }
}

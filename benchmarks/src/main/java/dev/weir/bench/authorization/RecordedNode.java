package dev.weir.bench.authorization;

import dev.weir.core.actions.authorization.SecurityCheckClient;
import dev.weir.core.actions.authorization.SecurityCheckRequest;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.index.get.GetResult;

/**
 * Answers the gateway's questions about users at once, as a node with the security plugin does: the
 * measured request finds the answers in caches, which ask again behind its back. Safe on any
 * thread.
 */
final class RecordedNode implements NodeClients, NodeClient, SecurityCheckClient {
  private static final Map<String, String> DOCUMENTS =
      Map.of(
          "config",
          "{\"config\":{\"dynamic\":{\"authc\":{\"basic\":{\"http_enabled\":true,"
              + "\"http_authenticator\":{\"type\":\"basic\"}}}}}}",
          "roles",
          "{\"orders_read\":{\"index_permissions\":[{\"index_patterns\":[\"orders-*\"],"
              + "\"allowed_actions\":[\"read\"]}]}}");

  private static final String USER =
      "{\"user\":\"User [name=orders-reader, backend_roles=[], requestedTenant=null]\","
          + "\"user_name\":\"orders-reader\",\"user_requested_tenant\":null,"
          + "\"remote_address\":\"127.0.0.1:1\",\"backend_roles\":[\"analysts\",\"staff\"],"
          + "\"custom_attribute_names\":[],\"roles\":[\"orders_read\",\"own_index\"],"
          + "\"tenants\":{\"orders-reader\":true},\"principal\":null,\"peer_certificates\":\"0\","
          + "\"sso_logout_url\":null}";

  private static final String GRANTED = "{\"accessAllowed\":true,\"missingPrivileges\":[]}";

  @Override
  public CompletableFuture<CheckResponse> ask(SecurityCheckRequest question) {
    return CompletableFuture.completedFuture(
        new CheckResponse(200, question.uri().endsWith("/authinfo") ? USER : GRANTED));
  }

  @Override
  public @Nullable NodeClient byId(String nodeId) {
    return this;
  }

  @Override
  public List<NodeClient> all() {
    return List.of(this);
  }

  @Override
  public NodeEndpoint endpoint() {
    throw new UnsupportedOperationException("got a question for the address (expected: none)");
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  @SuppressWarnings("unchecked") // documents are all that is asked for
  public <R> PendingCall send(NodeCall<R> call, Executor executor, ReplyHandler<R> handler) {
    if (!(call.payload() instanceof MultiGetRequest request)) {
      handler.onFailure(NodeCallException.unknownNode("any"));
      return () -> false;
    }
    List<MultiGetItemResponse> items = new ArrayList<>();
    for (MultiGetRequest.Item item : request) {
      items.add(new MultiGetItemResponse(new GetResponse(document(item)), null));
    }
    ((ReplyHandler<MultiGetResponse>) handler)
        .onReply(
            new MultiGetResponse(items.toArray(MultiGetItemResponse[]::new)), new EmptyFrame());
    return () -> false;
  }

  /** The frame of an answer that came over no wire. */
  private static final class EmptyFrame implements ReplyFrame {
    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public int wireBytes() {
      return 0;
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
  }

  private static GetResult document(MultiGetRequest.Item item) {
    String text = DOCUMENTS.get(item.id());
    boolean exists = text != null;
    return new GetResult(
        item.index(),
        item.id(),
        exists ? 0 : -2,
        exists ? 1 : 0,
        exists ? 1 : -1,
        exists,
        exists ? source(item.id(), Objects.requireNonNull(text)) : null,
        Map.of(),
        Map.of());
  }

  private static BytesArray source(String id, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new BytesArray("{\"" + id + "\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"}");
  }
}

package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.index.get.GetResult;

/** Reads of the security configuration from scripted nodes. */
class SecurityRulesReaderTest implements NodeClients {
  private static final String CONFIG = "{\"config\": {\"dynamic\": {}}}";
  private static final String ROLE_WITH_ATTRIBUTE =
      "{\"r\": {\"index_permissions\": [{\"dls\": \"${attr.internal.region}\"}]}}";

  private final Map<String, String> documents = new HashMap<>(Map.of("config", CONFIG));
  private final Map<String, Long> versions = new HashMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private final Deque<Runnable> timers = new ArrayDeque<>();
  private final Deque<Runnable> pool = new ArrayDeque<>();
  private String indexUuid = "u1";
  private final SecurityRulesReader reader =
      new SecurityRulesReader(
          new SecurityDocumentReader(this, (delay, loop, action) -> timers.add(action)),
          () -> indexUuid,
          pool::add);

  SecurityRulesReaderTest() {
    for (int i = 0; i < 3; i++) {
      nodes.add(new Node());
    }
    documents.put("roles", "{}");
    documents.put("internalusers", user("north"));
  }

  private static String user(String region) {
    return "{\"ada\": {\"hash\": \"h\", \"attributes\": {\"region\": \"" + region + "\"}}}";
  }

  /** A node that answers when the test lets it. */
  private final class Node implements NodeClient {
    private final Deque<MultiGetRequest> requests = new ArrayDeque<>();
    private final Deque<ReplyHandler<MultiGetResponse>> asked = new ArrayDeque<>();
    private boolean abandoned;

    @Override
    public NodeEndpoint endpoint() {
      throw new UnsupportedOperationException();
    }

    @Override
    @SuppressWarnings("unchecked") // documents are all that is asked for
    public <R> PendingCall send(NodeCall<R> call, Executor loop, ReplyHandler<R> handler) {
      requests.add((MultiGetRequest) call.payload());
      asked.add((ReplyHandler<MultiGetResponse>) handler);
      return () -> abandoned = true;
    }

    @Override
    public boolean isConnected() {
      return true;
    }

    void answer() {
      List<MultiGetItemResponse> items = new ArrayList<>();
      for (MultiGetRequest.Item item : requests.removeFirst()) {
        boolean withSource =
            item.fetchSourceContext() == null || item.fetchSourceContext().fetchSource();
        String document = documents.get(item.id());
        long version = versions.getOrDefault(item.id(), 0L);
        items.add(
            new MultiGetItemResponse(
                new GetResponse(
                    new GetResult(
                        item.index(),
                        item.id(),
                        document == null ? -2 : version,
                        document == null ? 0 : 1,
                        document == null ? -1 : version + 1,
                        document != null,
                        document == null || !withSource ? null : source(item.id(), document),
                        Map.of(),
                        Map.of())),
                null));
      }
      asked
          .removeFirst()
          .onReply(new MultiGetResponse(items.toArray(new MultiGetItemResponse[0])), new NoFrame());
    }

    void fail() {
      requests.removeFirst();
      asked.removeFirst().onFailure(NodeCallException.unknownNode("n"));
    }
  }

  private static BytesArray source(String id, String document) {
    String encoded = Base64.getEncoder().encodeToString(document.getBytes(StandardCharsets.UTF_8));
    return new BytesArray("{\"" + id + "\": \"" + encoded + "\"}");
  }

  private static final class NoFrame implements ReplyFrame {
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

  @Override
  public @Nullable NodeClient byId(String nodeId) {
    return null;
  }

  @Override
  public Collection<? extends NodeClient> all() {
    return nodes;
  }

  private void decode() {
    pool.removeFirst().run();
  }

  private static String region(CompletableFuture<SecurityRules> rules) {
    return String.valueOf(
        rules
            .join()
            .attributes()
            .valuesOf(TestUsers.named("ada", Set.of("r"), Set.of("attr.internal.region"))));
  }

  @Test
  void askAnotherNodeWhereOneIsSilent() {
    CompletableFuture<SecurityRules> rules = reader.read();
    assertThat(nodes.get(1).asked).isEmpty();
    timers.removeFirst().run();
    nodes.get(1).answer();
    decode();

    assertThat(rules).isCompleted();
    assertThat(nodes.get(0).abandoned).isTrue();
    timers.removeFirst().run();
    assertThat(nodes.get(2).asked).isEmpty();
  }

  @Test
  void askAnotherNodeAtOnceWhereOneFails() {
    CompletableFuture<SecurityRules> rules = reader.read();
    nodes.get(0).fail();
    nodes.get(1).fail();
    assertThat(rules).isNotDone();
    nodes.get(2).fail();
    assertThat(rules).isCompletedExceptionally();
  }

  @Test
  void decodeOnThePoolAndOnlyWhatHasChanged() {
    CompletableFuture<SecurityRules> first = reader.read();
    nodes.get(0).answer();
    assertThat(first).isNotDone();
    decode();
    assertThat(first).isCompleted();

    CompletableFuture<SecurityRules> same = reader.read();
    nodes.get(1).answer();
    assertThat(pool).isEmpty();
    assertThat(same.join()).isSameAs(first.join());

    documents.put("roles", ROLE_WITH_ATTRIBUTE);
    CompletableFuture<SecurityRules> changed = reader.read();
    nodes.get(2).answer();
    assertThat(changed).isNotDone();
    decode();
    assertThat(changed).isNotDone(); // now the users are needed
  }

  @Test
  void readUsersAgainOnlyWhenTheirDocumentHasChanged() {
    documents.put("roles", ROLE_WITH_ATTRIBUTE);
    CompletableFuture<SecurityRules> first = reader.read();
    nodes.get(0).answer();
    decode();
    nodes.get(1).answer();
    decode();
    assertThat(region(first)).contains("north");

    CompletableFuture<SecurityRules> same = reader.read();
    assertThat(nodes.get(2).requests.getFirst().getItems()).hasSize(5);
    nodes.get(2).answer();
    assertThat(pool).isEmpty();
    assertThat(same.join()).isSameAs(first.join());

    documents.put("internalusers", user("south"));
    versions.put("internalusers", 1L);
    assertThat(region(readAll())).contains("south");

    documents.put("internalusers", user("east"));
    indexUuid = "u2"; // created again, with the same versions
    assertThat(region(readAll())).contains("east");
  }

  /** Reads rules and users, with whichever nodes are asked. */
  private CompletableFuture<SecurityRules> readAll() {
    CompletableFuture<SecurityRules> rules = reader.read();
    for (int round = 0; round < 2; round++) {
      nodes.stream().filter(node -> !node.asked.isEmpty()).forEach(Node::answer);
      while (!pool.isEmpty()) {
        decode();
      }
    }
    return rules;
  }
}

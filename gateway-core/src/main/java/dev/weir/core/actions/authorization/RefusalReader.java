package dev.weir.core.actions.authorization;

import dev.weir.core.actions.authorization.NodeQuestions.NodeAnswer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks nodes in which words they refuse a search, by a search without hits of the same indices with
 * the client's own credentials. Safe on any thread; never blocks.
 */
final class RefusalReader {
  private static final int FORBIDDEN = 403;

  private final FreshCache<Key, Refusal> cache;
  private final NodeQuestions questions;

  /**
   * What a node said to a search.
   *
   * @param reason null if the node did not refuse it, or said more than a reason
   */
  record Refusal(@Nullable String reason) {
    static final Refusal NONE = new Refusal(null);
  }

  private record Key(String fingerprint, String uri) {}

  private RefusalReader(FreshCache<Key, Refusal> cache, NodeQuestions questions) {
    this.cache = cache;
    this.questions = questions;
  }

  /** Creates a reader that remembers fresh answers. */
  static RefusalReader create(
      LongSupplier nanoClock, AuthorizationCounts counts, NodeQuestions questions) {
    return new RefusalReader(new FreshCache<>(nanoClock, counts), questions);
  }

  /** Returns the fresh answer; null for none. */
  @Nullable Refusal getIfFresh(AuthorizedClient client, PermissionCheck search) {
    return cache.getIfFresh(keyOf(client, search), question(client, search));
  }

  /** Asks a node. The future completes on any thread. */
  CompletableFuture<Refusal> ask(AuthorizedClient client, PermissionCheck search) {
    return cache.ask(keyOf(client, search), question(client, search));
  }

  private static Key keyOf(AuthorizedClient client, PermissionCheck search) {
    return new Key(client.credentials().fingerprint(), search.uri());
  }

  private Supplier<CompletableFuture<Refusal>> question(
      AuthorizedClient client, PermissionCheck search) {
    return () -> questions.ask(NodeQuestion.of(search, client)).thenApply(RefusalReader::refusalOf);
  }

  /** Returns the reason of an answer that consists of nothing else. */
  static Refusal refusalOf(NodeAnswer answer) {
    if (answer.status() != FORBIDDEN) {
      return Refusal.NONE;
    }
    try {
      Map<String, Object> fields = AuthenticatedUser.readJson(answer.body());
      if (fields.get("error") instanceof Map<?, ?> error
          && error.get("reason") instanceof String reason) {
        Map<String, String> cause = Map.of("type", "security_exception", "reason", reason);
        Map<String, Object> expected =
            Map.of(
                "error",
                Map.of(
                    "root_cause", List.of(cause), "type", "security_exception", "reason", reason),
                "status",
                FORBIDDEN);
        return fields.equals(expected) ? new Refusal(reason) : Refusal.NONE;
      }
      return Refusal.NONE;
    } catch (RuntimeException unreadable) {
      return Refusal.NONE;
    }
  }
}

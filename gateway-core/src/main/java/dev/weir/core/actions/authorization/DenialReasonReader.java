package dev.weir.core.actions.authorization;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks nodes why they deny a search, by a search without hits of the same indices with the client's
 * own credentials. Safe on any thread; never blocks.
 */
final class DenialReasonReader {
  private static final int FORBIDDEN = 403;

  private final ShortLivedCache<DenialReason> cache;
  private final SecurityCheckClient questions;

  /**
   * What a node said to a search.
   *
   * @param reason null if the node did not deny it, or said more than a reason
   */
  record DenialReason(@Nullable String reason) {
    static final DenialReason NONE = new DenialReason(null);

    private int bytes() {
      return reason == null ? 0 : reason.length();
    }
  }

  private DenialReasonReader(ShortLivedCache<DenialReason> cache, SecurityCheckClient questions) {
    this.cache = cache;
    this.questions = questions;
  }

  /** Creates a reader that remembers fresh answers. */
  static DenialReasonReader create(
      LongSupplier nanoClock, AuthorizationCounts counts, SecurityCheckClient questions) {
    return new DenialReasonReader(
        ShortLivedCache.create(
            CacheBounds.ofDenialReasons(), DenialReason::bytes, nanoClock, counts),
        questions);
  }

  /** Returns the fresh answer; null for none. */
  @Nullable DenialReason getIfFresh(AuthorizedClient client, PermissionCheck search) {
    return cache.getIfFresh(keyOf(client, search), question(client, search));
  }

  /** Asks a node. The future completes on any thread. */
  CompletableFuture<DenialReason> ask(AuthorizedClient client, PermissionCheck search) {
    return cache.ask(keyOf(client, search), question(client, search));
  }

  private static String keyOf(AuthorizedClient client, PermissionCheck search) {
    return client.credentials().fingerprintWith(search);
  }

  private Supplier<CompletableFuture<DenialReason>> question(
      AuthorizedClient client, PermissionCheck search) {
    return () ->
        SecurityCheckClient.map(
            questions.ask(SecurityCheckRequest.of(search, client)),
            DenialReasonReader::denialReasonOf);
  }

  /** Returns the reason of an answer that consists of nothing else. */
  static DenialReason denialReasonOf(CheckResponse answer) {
    if (answer.status() != FORBIDDEN) {
      return DenialReason.NONE;
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
        return fields.equals(expected) ? new DenialReason(reason) : DenialReason.NONE;
      }
      return DenialReason.NONE;
    } catch (RuntimeException unreadable) {
      return DenialReason.NONE;
    }
  }
}

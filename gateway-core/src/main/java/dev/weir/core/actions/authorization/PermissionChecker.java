package dev.weir.core.actions.authorization;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Asks nodes whether they would permit a request, by a dry run of the request with the client's own
 * credentials. Safe on any thread; never blocks.
 */
final class PermissionChecker {
  private final ShortLivedCache<Boolean> cache;
  private final SecurityCheckClient questions;

  /** The state of what a request needs. */
  enum Permission {
    GRANTED,
    DENIED,
    /** No node was asked recently. */
    UNKNOWN
  }

  private PermissionChecker(ShortLivedCache<Boolean> cache, SecurityCheckClient questions) {
    this.cache = cache;
    this.questions = questions;
  }

  /** Creates a checker that remembers fresh answers. */
  static PermissionChecker create(
      LongSupplier nanoClock, AuthorizationCounts counts, SecurityCheckClient questions) {
    return new PermissionChecker(
        ShortLivedCache.create(CacheBounds.ofPermissions(), granted -> 0, nanoClock, counts),
        questions);
  }

  /** Returns whether all are permitted, as far as fresh answers say. */
  Permission getIfFresh(AuthorizedClient client, List<PermissionCheck> checks) {
    boolean isKnown = true;
    for (PermissionCheck check : checks) {
      Boolean granted = cache.getIfFresh(keyOf(client, check), () -> ask(client, check));
      if (granted == null) {
        isKnown = false;
      } else if (!granted) {
        return Permission.DENIED;
      }
    }
    return isKnown ? Permission.GRANTED : Permission.UNKNOWN;
  }

  /**
   * Asks nodes. The future completes on any thread, with whether all are permitted; exceptionally
   * if no node says so in time.
   */
  CompletableFuture<Boolean> check(AuthorizedClient client, List<PermissionCheck> checks) {
    CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
    List<CompletableFuture<Boolean>> asked = new ArrayList<>();
    for (PermissionCheck check : checks) {
      asked.add(cache.ask(keyOf(client, check), () -> ask(client, check)));
    }
    for (CompletableFuture<Boolean> one : asked) {
      all = all.thenCombine(one, (before, granted) -> before && granted);
    }
    return all;
  }

  private static String keyOf(AuthorizedClient client, PermissionCheck check) {
    return client.credentials().fingerprintWith(check);
  }

  private CompletableFuture<Boolean> ask(AuthorizedClient client, PermissionCheck check) {
    return SecurityCheckClient.map(
        questions.ask(SecurityCheckRequest.of(check, client)), PermissionChecker::isGranted);
  }

  /** Whether a node says that it would permit the request; false for anything unexpected. */
  static boolean isGranted(CheckResponse answer) {
    if (!answer.isOk()) {
      return false;
    }
    try {
      Map<String, Object> fields = AuthenticatedUser.readJson(answer.body());
      return Boolean.TRUE.equals(fields.get("accessAllowed"))
          && fields.get("missingPrivileges") instanceof List<?> missing
          && missing.isEmpty();
    } catch (RuntimeException unexpected) {
      return false;
    }
  }
}

package dev.weir.core.actions.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.PassThroughReasons;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.SearchRequest;

/**
 * Authorizes the searches of one multi-search, each by itself, as nodes do. A search that nodes
 * deny becomes a {@link DeniedSearch} with a node's reason; the others are coordinated. Used once,
 * on the context's event loop.
 */
final class MultiSearchAuthorization {
  /** Bounds the searches: the last ones start soon after they are checked. */
  private static final int MAX_PARTS = 32;

  /** Bounds the different questions. */
  private static final int MAX_QUESTIONS = 40;

  /**
   * One to ask whether the user may send several searches, one to ask about each of them, one to
   * ask for the reasons of denials, and one to read them.
   */
  private static final int MAX_ROUNDS = 4;

  private final Services services;
  private final AuthorizedClient client;
  private final RequestContext context;
  private final MultiSearchRequest request;
  private final List<Part> parts = new ArrayList<>();
  private int rounds;

  /**
   * What answers questions.
   *
   * @param searches what a search needs
   * @param checker whether nodes permit it
   * @param denials why they deny it
   */
  record Services(
      SearchPermissions searches, PermissionChecker checker, DenialReasonReader denials) {}

  /**
   * One of the searches.
   *
   * @param checks the first is about the expression as the client wrote it
   * @param reason why only nodes carry it out; null if the gateway does
   */
  private record Part(
      SearchRequest search,
      Set<String> indices,
      List<PermissionCheck> checks,
      @Nullable String reason) {}

  /** What is not known yet, and what is. */
  private static final class Round {
    private final Set<String> indices = new HashSet<>();
    private final Map<Integer, String> denied = new HashMap<>();
    private final Set<PermissionCheck> checks = new LinkedHashSet<>();
    private final Set<PermissionCheck> denials = new LinkedHashSet<>();

    boolean isComplete() {
      return checks.isEmpty() && denials.isEmpty();
    }
  }

  MultiSearchAuthorization(
      Services services,
      AuthorizedClient client,
      RequestContext context,
      MultiSearchRequest request) {
    this.services = services;
    this.client = client;
    this.context = context;
    this.request = request;
  }

  /**
   * Authorizes the searches, and replaces those that nodes refuse.
   *
   * @param view the indices that exist
   * @param execute receives the indices that the others concern, on the event loop: at once, or
   *     after nodes have answered
   * @param onFailure receives the reason why a node has to carry out all of them, if that is not
   *     known at once
   * @throws PassThroughException if a node has to carry out all of them
   */
  void start(ClusterView view, Consumer<Set<String>> execute, Consumer<Exception> onFailure) {
    if (request.requests().size() > MAX_PARTS) {
      throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
    }
    if (client.isRestricted() && !client.isRestrictedByDataNodes()) {
      throw new PassThroughException(PassThroughReasons.SECURITY_USER);
    }
    for (SearchRequest search : request.requests()) {
      parts.add(partOf(search, view));
    }
    step(execute, onFailure);
  }

  private Part partOf(SearchRequest search, ClusterView view) {
    if (search.pointInTimeBuilder() != null) {
      throw new PassThroughException(PassThroughReasons.SECURITY_ACTION);
    }
    SearchPermissions.requireBoundedNames(search);
    List<PermissionCheck> written =
        List.of(PermissionCheck.ofSearch(search.indices(), search.indicesOptions()));
    SearchPermissions.requireAccepted(written, view);
    try {
      SearchPermissions.Requirement needed =
          services.searches.of(search, view, client, context.search());
      SearchPermissions.requireAccepted(needed.checks(), view);
      Set<String> indices = Objects.requireNonNull(needed.indices());
      return new Part(search, indices, needed.checks(), null);
    } catch (PassThroughException special) {
      if (special.reason().equals(PassThroughReasons.CROSS_CLUSTER)) {
        throw special;
      }
      return new Part(search, Set.of(), written, special.reason());
    }
  }

  private void step(Consumer<Set<String>> execute, Consumer<Exception> onFailure) {
    Round round = evaluate();
    if (round.isComplete()) {
      round.denied.forEach(
          (slot, reason) -> request.requests().set(slot, new DeniedSearch(reason)));
      execute.accept(round.indices);
      return;
    }
    if (++rounds > MAX_ROUNDS) {
      throw new PassThroughException(PassThroughReasons.SECURITY_CHECK);
    }
    ask(round)
        .whenComplete((_, failure) ->
            context.runLater(() -> {
              try {
                if (failure != null) {
                  throw new PassThroughException(PassThroughReasons.SECURITY_CHECK);
                }
                step(execute, onFailure);
              } catch (Exception decided) {
                onFailure.accept(decided);
              }
            }));
  }

  private Round evaluate() {
    Round round = new Round();
    List<PermissionCheck> all = List.of(PermissionCheck.ofMultiSearch());
    switch (services.checker.getIfFresh(client, all)) {
      case GRANTED -> {}
      case DENIED -> throw new PassThroughException(PassThroughReasons.SECURITY_DENIED);
      case UNKNOWN -> {
        round.checks.addAll(all); // alone: without this right, the searches do not matter
        return round;
      }
    }
    for (int slot = 0; slot < parts.size(); slot++) {
      evaluate(slot, parts.get(slot), round);
    }
    if (round.checks.size() + round.denials.size() > MAX_QUESTIONS) {
      throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
    }
    return round;
  }

  private void evaluate(int slot, Part part, Round round) {
    switch (services.checker.getIfFresh(client, part.checks)) {
      case GRANTED -> {
        if (part.reason != null) {
          throw new PassThroughException(part.reason);
        }
        round.indices.addAll(part.indices);
      }
      case UNKNOWN -> round.checks.addAll(part.checks);
      case DENIED -> {
        // nodes permit the expression, and leave out indices
        if (services.checker.getIfFresh(client, part.checks.subList(0, 1))
            == PermissionChecker.Permission.GRANTED) {
          throw new PassThroughException(PassThroughReasons.SECURITY_DENIED);
        }
        evaluateDenial(slot, part, round);
      }
    }
  }

  private void evaluateDenial(int slot, Part part, Round round) {
    PermissionCheck denial =
        PermissionCheck.ofDenialReason(part.search.indices(), part.search.indicesOptions());
    DenialReasonReader.DenialReason answer = services.denials.getIfFresh(client, denial);
    if (answer == null) {
      round.denials.add(denial);
    } else if (answer.reason() == null) {
      throw new PassThroughException(PassThroughReasons.SECURITY_DENIED);
    } else {
      round.denied.put(slot, answer.reason());
    }
  }

  private CompletableFuture<Void> ask(Round round) {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    asked.add(services.checker.check(client, List.copyOf(round.checks)));
    round.denials.forEach(denial -> asked.add(services.denials.ask(client, denial)));
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
  }
}

package dev.weir.core.actions.authorization;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.rest.PassThroughReasons;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out who sends a request: a node authenticates the client's own credentials. A request whose
 * user the gateway can't stand in for passes through. Called on event loops.
 */
final class AuthenticationFilter implements RequestFilter {
  private static final Logger LOG = LoggerFactory.getLogger(AuthenticationFilter.class);
  private static final String AUTH_INFO = "/_plugins/_security/authinfo";

  private final BooleanSupplier isActive;
  private final SecurityRulesCache rules;
  private final ShortLivedCache<Optional<AuthenticatedUser>> users;
  private final SecurityCheckClient questions;
  private final Supplier<String> clusterName;
  private final CredentialReader credentialReader;

  /**
   * Creates the filter.
   *
   * @param isActive whether the gateway authorizes requests now
   */
  AuthenticationFilter(
      BooleanSupplier isActive,
      SecurityRulesCache rules,
      ShortLivedCache<Optional<AuthenticatedUser>> users,
      SecurityCheckClient questions,
      Supplier<String> clusterName,
      CredentialReader credentialReader) {
    this.isActive = isActive;
    this.rules = rules;
    this.users = users;
    this.questions = questions;
    this.clusterName = clusterName;
    this.credentialReader = credentialReader;
  }

  @Override
  public void filter(HttpExchange exchange, RequestHandler next) {
    if (!isActive.getAsBoolean()) {
      next.handle(exchange);
      return;
    }
    ClientCredentials credentials = credentialReader.read(exchange);
    if (credentials == null) {
      exchange.passThrough(PassThroughReasons.SECURITY_USER);
      return;
    }
    Supplier<CompletableFuture<Optional<AuthenticatedUser>>> question =
        () -> ask(credentials, exchange);
    SecurityRules knownRules = rules.getIfFresh();
    Optional<AuthenticatedUser> knownUser = users.getIfFresh(credentials.fingerprint(), question);
    if (knownRules != null && knownUser != null) {
      proceed(exchange, next, credentials, new Outcome(knownRules, knownUser));
      return;
    }
    CompletableFuture<SecurityRules> readRules =
        knownRules == null ? rules.read() : CompletableFuture.completedFuture(knownRules);
    CompletableFuture<Optional<AuthenticatedUser>> freshUser =
        knownUser == null
            ? users.ask(credentials.fingerprint(), question)
            : CompletableFuture.completedFuture(knownUser);
    readRules
        .thenCombine(freshUser, Outcome::new)
        .whenComplete((outcome, failure) ->
            exchange
                .eventLoop()
                .execute(
                    () -> resume(exchange, next, credentials, failure == null ? outcome : null)));
  }

  /** What nodes said. */
  private record Outcome(SecurityRules rules, Optional<AuthenticatedUser> user) {}

  /** Continues in a task of its own: no caller responds if it fails. */
  private void resume(
      HttpExchange exchange,
      RequestHandler next,
      ClientCredentials credentials,
      @Nullable Outcome outcome) {
    try {
      proceed(exchange, next, credentials, outcome);
    } catch (RuntimeException | Error unexpected) {
      LOG.error("handler failed on {} {}", exchange.method(), exchange.uri(), unexpected);
      exchange.respond(UnexpectedErrorResponse.of(unexpected));
    }
  }

  private void proceed(
      HttpExchange exchange,
      RequestHandler next,
      ClientCredentials credentials,
      @Nullable Outcome outcome) {
    if (outcome == null) {
      exchange.passThrough(PassThroughReasons.SECURITY_CHECK);
      return;
    }
    AuthenticatedUser user = outcome.user.orElse(null);
    SecurityRules rules = outcome.rules;
    if (!rules.isCoordinationSafe()
        || !credentialReader.readsAll(rules.credentials().headers())
        || rules.mayHaveUrlCredentials(exchange.uri())) {
      exchange.passThrough(PassThroughReasons.SECURITY_RULES);
    } else if (user == null || !rules.canName(user)) {
      exchange.passThrough(PassThroughReasons.SECURITY_USER);
    } else {
      next.handle(
          new AuthenticatedExchange(
              exchange, new AuthorizedClient(credentials, user, rules, exchange.eventLoop())));
    }
  }

  /** Asks a node; empty for a client that it rejects, or that calls to nodes can't name. */
  private CompletableFuture<Optional<AuthenticatedUser>> ask(
      ClientCredentials credentials, HttpExchange exchange) {
    return SecurityCheckClient.map(
        questions.ask(
            new SecurityCheckRequest("GET", AUTH_INFO, credentials, "", exchange.eventLoop())),
        this::userOf);
  }

  private Optional<AuthenticatedUser> userOf(CheckResponse answer) {
    if (!answer.isOk()) {
      return Optional.empty();
    }
    try {
      return Optional.of(AuthenticatedUser.parse(answer.body(), clusterName.get()));
    } catch (RuntimeException unexpected) {
      return Optional.empty();
    }
  }
}

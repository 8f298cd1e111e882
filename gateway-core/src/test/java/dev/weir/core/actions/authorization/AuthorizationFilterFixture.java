package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;

/** An authorization filter whose questions a test answers as a node. */
abstract class AuthorizationFilterFixture {
  static final CheckResponse GRANTED =
      new CheckResponse(200, "{\"accessAllowed\":true,\"missingPrivileges\":[]}");
  static final CheckResponse DENIED =
      new CheckResponse(200, "{\"accessAllowed\":false,\"missingPrivileges\":[\"x\"]}");
  static final CheckResponse REFUSED =
      new CheckResponse(
          403,
          "{\"error\":{\"root_cause\":[{\"type\":\"security_exception\",\"reason\":\"not you\"}],"
              + "\"type\":\"security_exception\",\"reason\":\"not you\"},\"status\":403}");
  static final AttributeRules NO_ATTRIBUTES = new AttributeRules(Set.of(), Map.of());
  static final SecurityRules.IndexRules USUAL_INDICES =
      new SecurityRules.IndexRules(false, ".kibana");
  static final SecurityRules RULES =
      new SecurityRules(
          true,
          USUAL_INDICES,
          Set.of("restricted", "unproven"),
          Set.of("unproven"),
          NO_ATTRIBUTES,
          SecurityRules.CredentialPlaces.NONE);
  static final SecurityRules NARROWING =
      new SecurityRules(
          true,
          new SecurityRules.IndexRules(true, ".kibana"),
          Set.of(),
          Set.of(),
          NO_ATTRIBUTES,
          SecurityRules.CredentialPlaces.NONE);

  final List<String> asked = new ArrayList<>();
  final List<CompletableFuture<CheckResponse>> answers = new ArrayList<>();
  final List<ActionRequest> executed = new ArrayList<>();
  final List<ActionListener<?>> listeners = new ArrayList<>();
  final List<String> failures = new ArrayList<>();
  final AuthorizationCounts counts = new AuthorizationCounts();
  ClusterView view = view("logs-1", "logs-2", ".kibana_1", "other");
  boolean active = true;

  final AuthorizationFilter filter =
      new AuthorizationFilter(
          () -> active,
          new ClusterViewSource() {
            @Override
            public ClusterView current() {
              return view;
            }

            @Override
            public CompletionStage<ClusterView> refresh(ClusterView stale) {
              return CompletableFuture.completedFuture(view);
            }
          },
          new MultiSearchAuthorization.Services(
              new SearchPermissions(new IndexNameResolver(new ThreadContext(Settings.EMPTY))),
              PermissionChecker.create(() -> 0, counts, this::ask),
              DenialReasonReader.create(() -> 0, counts, this::ask)),
          counts);

  final ActionExecutor next =
      new ActionExecutor() {
        @Override
        public <Q extends ActionRequest, R extends ActionResponse> void execute(
            ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
          executed.add(request);
          listeners.add(listener);
        }
      };

  CompletableFuture<CheckResponse> ask(SecurityCheckRequest question) {
    asked.add(question.method() + " " + question.uri());
    CompletableFuture<CheckResponse> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer;
  }

  static ClusterView view(String... indices) {
    ClusterStates states = ClusterStates.ofNodes(1);
    for (String index : indices) {
      states.index(index, 1, 0);
    }
    return states.view();
  }

  static AuthorizedClient client(SecurityRules rules, String role) {
    TestExchange exchange = TestExchange.of("GET", "/").header("Authorization", "Basic YTpi");
    return new AuthorizedClient(
        Objects.requireNonNull(new CredentialReader(Set.of()).read(exchange)),
        TestUsers.named("ada", Set.of(role), Set.of()),
        rules,
        Runnable::run);
  }

  AuthorizedClient client = client(RULES, "reader");

  RequestContext context() {
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.resources().inheritFrom(new AuthenticatedExchange(TestExchange.of("GET", "/"), client));
    return context;
  }

  <R extends ActionResponse> void run(ActionType<R> action, ActionRequest request) {
    filter.filter(
        action, request, context(), ActionListener.wrap(r -> {}, this::recordFailure), next);
  }

  void recordFailure(Exception failure) {
    failures.add(failure instanceof PassThroughException pass ? pass.reason() : failure.toString());
  }

  void search(String... indices) {
    this.<SearchResponse>run(SearchAction.INSTANCE, new SearchRequest(indices));
  }

  void assertPassedThrough(ActionType<?> action, ActionRequest request, String reason) {
    assertThatThrownBy(() -> run(action, request))
        .isInstanceOfSatisfying(
            PassThroughException.class, pass -> assertThat(pass.reason()).isEqualTo(reason));
    assertThat(executed).isEmpty();
  }

  /** Answers the open questions that contain a text. */
  void complete(String text, CheckResponse answer) {
    int open = asked.size();
    for (int i = 0; i < open; i++) {
      if (asked.get(i).contains(text)) {
        answers.get(i).complete(answer);
      }
    }
  }
}

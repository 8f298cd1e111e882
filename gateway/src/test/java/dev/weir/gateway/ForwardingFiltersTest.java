package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.bluegreen.shadow.ReadSource;
import dev.weir.bluegreen.shadow.ShadowEnvironment;
import dev.weir.bluegreen.shadow.ShadowReadFilter;
import dev.weir.bluegreen.shadow.ShadowService;
import dev.weir.bluegreen.shadow.ShadowTarget;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.CoalescingPolicy;
import dev.weir.config.policy.ShadowPolicy;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.gateway.admission.ConcurrencyLimitFilter;
import dev.weir.gateway.admission.RejectionRecorder;
import dev.weir.gateway.admission.RequestLimits;
import dev.weir.gateway.coalesce.SearchCoalescer;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RecordingExchange;
import dev.weir.model.RequestFilter;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each filter that wraps an exchange forwards what it doesn't change. */
class ForwardingFiltersTest {
  private static RequestFilter concurrencyLimit() {
    return new ConcurrencyLimitFilter(
        new RequestLimits(
            new ConcurrencyLimiter(1000, Duration.ofSeconds(1)),
            new PolicyBulkheads(new PolicyCompiler<>(PolicyBulkheads.Limits.NONE)),
            new RejectionRecorder(RecentRoutingDecisions.rejections(1, () -> 0))));
  }

  private static RequestFilter coalescer() {
    return new SearchCoalescer(
        new PolicyCompiler<>(
            new CoalescingPolicy(List.of("*"), Duration.ofSeconds(1), 3, new ByteSize(100))),
        () -> "state");
  }

  private static RequestFilter shadow() {
    return new ShadowReadFilter(
        new ReadSource("blue", ""),
        new ShadowPolicy(
            "green", 100, 1, new ByteSize(1000), false, new ShadowPolicy.Tolerances(0.01, 0.99)),
        new ShadowService(
            name -> shadowTarget(),
            1 << 20,
            new ShadowEnvironment(
                () -> false,
                new ShadowEnvironment.Execution(
                    () -> Runnable::run,
                    request -> RequestMemory.UNBOUNDED,
                    (delay, loop, action) -> () -> {}),
                new ShadowEnvironment.Clocks(() -> 0, () -> 0),
                () -> 0.0),
            (scope, different) -> {}));
  }

  private static ShadowTarget shadowTarget() {
    return new ShadowTarget() {
      @Override
      public String cluster() {
        return "green";
      }

      @Override
      public RequestHandler handler() {
        return exchange -> {};
      }
    };
  }

  /** A filter, a request that it wraps, and the methods that are not forwarded at once. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum WrappingFilter {
    CONCURRENCY_LIMIT(concurrencyLimit(), "POST", "/logs/_search", Set.of()),
    COALESCED_SEARCH(coalescer(), "POST", "/logs/_search", Set.of("onDisconnect")),
    REFRESHING_WRITE(coalescer(), "PUT", "/logs/_doc/1?refresh=true", Set.of()),
    SHADOW_READ(shadow(), "POST", "/logs/_search", Set.of());

    private final RequestFilter filter;
    private final String method;
    private final String uri;
    private final Set<String> kept;

    WrappingFilter(RequestFilter filter, String method, String uri, Set<String> kept) {
      this.filter = filter;
      this.method = method;
      this.uri = uri;
      this.kept = kept;
    }
  }

  static Stream<Arguments> calls() {
    return Arrays.stream(WrappingFilter.values())
        .flatMap(filter ->
            Arrays.stream(HttpExchange.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !filter.kept.contains(method.getName()))
                .map(method -> Arguments.of(filter, method)));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void forwardEveryMethodToTheClient(WrappingFilter filter, Method method) throws Exception {
    RecordingExchange client = new RecordingExchange();
    client.setResult("method", filter.method);
    client.setResult("uri", filter.uri);
    client.setResult("originalUri", filter.uri);
    client.setResult("sectionedBody", null);
    client.setResult("identity", null);
    client.setResult("isInternal", false);
    client.setResult("body", ByteBuffer.wrap(new byte[0]));
    client.setResult("policy", RequestPolicy.NONE);
    List<HttpExchange> forwarded = new ArrayList<>();
    filter.filter.filter(client.exchange(), forwarded::add);
    assertThat(forwarded).singleElement().isInstanceOf(ForwardingExchange.class);
    client.calls().clear();

    Object result = method.invoke(forwarded.getFirst(), RecordingExchange.arguments(method));

    assertThat(client.calls().stream().map(call -> signature(call.method())))
        .as("the calls that reach the client's exchange")
        .contains(signature(method));
    client.assertResult(method, result);
    if (!isEnd(method)) {
      forwarded.getFirst().drop(); // so that the next one finds nothing to join
    }
  }

  private static boolean isEnd(Method method) {
    return Set.of("respond", "passThrough", "drop").contains(method.getName());
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  @Test
  void treatBufferedAndStreamingResponsesEqually() {
    Set<String> unequal = new TreeSet<>();
    Set<String> found = new TreeSet<>();
    for (JavaClass candidate :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.weir")) {
      if (candidate.isAssignableTo(ForwardingExchange.class)
          && !candidate.isEquivalentTo(ForwardingExchange.class)) {
        found.add(candidate.getSimpleName());
        Set<String> responses =
            candidate.getMethods().stream()
                .filter(method -> method.getName().equals("respond"))
                .map(method -> method.getRawParameterTypes().getFirst().getSimpleName())
                .collect(Collectors.toSet());
        if (responses.size() == 1) {
          unequal.add(candidate.getName());
        }
      }
    }
    assertThat(found).hasSizeGreaterThanOrEqualTo(5).contains("CoalescedSearch");
    assertThat(unequal).as("filters that change one kind of response only").isEmpty();
  }
}

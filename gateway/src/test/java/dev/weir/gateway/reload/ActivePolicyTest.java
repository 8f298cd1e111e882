package dev.weir.gateway.reload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.FileReferences;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.TenantsPolicy;
import dev.weir.gateway.ChangedPolicies;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ActivePolicyTest {
  private static final String SEEDS = "clusters: {main: {seeds: [\"127.0.0.1:9300\"]}}\n";

  private final List<String> outcomes = new ArrayList<>();
  private final List<GatewayPolicy> told = new ArrayList<>();
  private final List<AdmissionPolicy> admitting = new ArrayList<>();
  private final ActivePolicy inForce = active(loaded(SEEDS), admitting::add, told::add);

  /** An active policy that passes on the changed configuration, and the changed admission. */
  private ActivePolicy active(
      LoadResult.Loaded first,
      Consumer<AdmissionPolicy> admission,
      Consumer<GatewayPolicy> others) {
    return new ActivePolicy(
        first,
        List.of(
            ReloadablePart.ofSection(policy -> policy, others),
            ReloadablePart.ofSection(GatewayPolicy::admission, admission)),
        (delay, action) -> {},
        outcomes::add);
  }

  private static LoadResult read(String yaml) {
    return new PolicyLoader(Map.of()).parse("weir.yaml", yaml);
  }

  private static LoadResult.Loaded loaded(String yaml) {
    return (LoadResult.Loaded) read(yaml);
  }

  private static GatewayPolicy policy(String yaml) {
    return loaded(yaml).policy();
  }

  @Test
  void applyEveryKeyLiveOrAtARestart() {
    GatewayPolicy before = policy(SEEDS);
    Map<String, GatewayPolicy> changed = ChangedPolicies.of(before);
    assertThat(changed)
        .hasSizeGreaterThan(100)
        .containsKeys("http.listen", "routing.c3.ewma-alpha");
    changed.forEach((key, read) -> {
      List<AdmissionPolicy> admitted = new ArrayList<>();
      List<GatewayPolicy> heard = new ArrayList<>();
      ActivePolicy wired = active(loaded(SEEDS), admitted::add, heard::add);
      wired.reload(new LoadResult.Loaded(read, FileReferences.NONE));
      GatewayPolicy now = wired.state().policy();
      if (wired.state().restartKeys().isEmpty()) {
        assertThat(now).as(key).isEqualTo(read).isNotEqualTo(before);
        assertThat(heard).as(key).containsExactly(read);
        boolean admits = !read.admission().equals(before.admission());
        assertThat(admitted).as(key).isEqualTo(admits ? List.of(read.admission()) : List.of());
      } else {
        assertThat(wired.state().restartKeys()).containsExactly(key);
        assertThat(now).as(key).isEqualTo(before);
        assertThat(heard).as(key).isEmpty();
      }
    });
  }

  @Test
  void keepFileValuesHidden() {
    FileReferences fromFile = new FileReferences(Set.of("http.max-connections"), Set.of());
    ActivePolicy wired =
        active(new LoadResult.Loaded(policy(SEEDS), fromFile), admitting::add, told::add);
    assertThat(wired.state().overriddenKeys()).containsExactly("http.max-connections");
    wired.reload(read(SEEDS + "http: {max-connections: 5}\n"));
    assertThat(wired.state().restartKeys()).containsExactly("http.max-connections");
    assertThat(wired.state().overriddenKeys()).containsExactly("http.max-connections");
  }

  @Test
  void describeTheOutcomeOfEachReload() {
    inForce.reload(read(SEEDS + "routing: {algorithm: c3}\nhttp: {max-connections: 5}\n"));
    inForce.reload(read(SEEDS + "routing: {algorithm: nothing}\n"));
    assertThat(outcomes).hasSize(2);
    assertThat(outcomes.getFirst())
        .startsWith("configuration in force: routing.algorithm")
        .contains("c3", "needs a restart: http.max-connections");
    assertThat(outcomes.getLast()).startsWith("configuration rejected: ").contains("nothing");
  }

  @Test
  void sayHowRequestsMoveWhileTrafficWaitsForARestart() {
    inForce.reload(
        read(
            SEEDS.replace("}}", "}, green: {seeds: [\"127.0.0.1:9301\"]}}")
                + "traffic: {weights: {green: 1}}\n"));
    assertThat(outcomes)
        .singleElement()
        .asString()
        .contains("needs a restart: ", "traffic.weights.green")
        .endsWith(" (POST /traffic/shift moves requests between running clusters at once)");
  }

  @Test
  void applyRoutingAtOnce() {
    inForce.reload(read(SEEDS + "routing: {algorithm: c3}\n"));
    assertThat(told)
        .extracting(changed -> changed.routing().algorithm())
        .containsExactly(RoutingPolicy.Algorithm.C3);
    assertThat(inForce.state().policy().routing().algorithm())
        .isEqualTo(RoutingPolicy.Algorithm.C3);
    assertThat(inForce.state().restartKeys()).isEmpty();
    assertThat(inForce.appliedCount()).isOne();
  }

  @Test
  void applyResponseSettingsAtOnce() {
    List<GatewayPolicy> shaping = new ArrayList<>();
    ActivePolicy wired = active(loaded(SEEDS), admitting::add, shaping::add);
    wired.reload(read(SEEDS + "responses: {trimming: {profiles: {lean: {drop: [shards]}}}}\n"));
    assertThat(shaping)
        .singleElement()
        .satisfies(
            now -> assertThat(now.responses().trimming().profiles()).containsOnlyKeys("lean"));
    assertThat(wired.state().restartKeys()).isEmpty();
    wired.reload(read(SEEDS + "search: {time-pruning: {indices: [\"logs-*\"]}}\n"));
    assertThat(shaping.getLast().search().timePruning().indices()).containsExactly("logs-*");
    assertThat(shaping.getLast().search().timePruning().effectiveDateFields())
        .containsExactly("@timestamp");
    assertThat(wired.state().restartKeys()).isEmpty();
    wired.reload(read(SEEDS + "http: {compression: {gzip-level: 5}}\n"));
    assertThat(wired.state().restartKeys()).containsExactly("http.compression.gzip-level");
  }

  @Test
  void applyDefaultThreadCountsAtOnce() {
    RoutingPolicy before = policy(SEEDS).routing();
    NodeLoadTracker loads = new NodeLoadTracker(before, () -> 0, new Random(1));
    PolicyAwareSelector selector = new PolicyAwareSelector(loads, before, () -> 0, new Random(1));
    ActivePolicy wired =
        active(
            loaded(SEEDS), admitting::add, changed -> selector.setDefaultPolicy(changed.routing()));
    loads.setThreadCount("says", Phase.QUERY, 7);
    assertThat(threads(selector, "silent")).isEqualTo(13);
    assertThat(threads(selector, "says")).isEqualTo(7);

    wired.reload(read(SEEDS + "routing: {adaptive: {default-search-threads: 4}}\n"));
    assertThat(threads(selector, "silent")).isEqualTo(4);
    assertThat(threads(selector, "says")).isEqualTo(7);
    assertThat(wired.state().restartKeys()).isEmpty();
  }

  private static double threads(ReplicaSelector selector, String nodeId) {
    ShardCopy copy = new ShardCopy(nodeId, "", false, false, Map.of());
    return selector.explain(List.of(copy), Phase.QUERY).candidates().getFirst().terms().stream()
        .filter(term -> term.name().equals("k"))
        .findFirst()
        .orElseThrow()
        .value();
  }

  @Test
  void applyAdmissionAtOnceExceptMemoryPools() {
    ByteSize before = policy(SEEDS).admission().maxTotalBodyBytes();
    inForce.reload(
        read(
            SEEDS
                + "admission: {max-in-flight: 7, max-total-body-bytes: 3mb, tenants: {source:"
                + " user}}\n"));
    AdmissionPolicy now = admitting.getFirst();
    assertThat(now.maxInFlight()).isEqualTo(7);
    assertThat(now.tenants().source()).isEqualTo(TenantsPolicy.TenantSource.USER);
    assertThat(now.maxTotalBodyBytes()).isEqualTo(before);
    assertThat(inForce.state().policy().admission()).isEqualTo(now);
    assertThat(inForce.state().restartKeys()).containsExactly("admission.max-total-body-bytes");
    inForce.reload(read(SEEDS + "admission: {max-in-flight: none, tenants: {source: header}}\n"));
    assertThat(admitting).hasSize(1);
    assertThat(inForce.state().policy().admission()).isEqualTo(now);
  }

  @Test
  void listKeysThatNeedARestart() {
    inForce.reload(read(SEEDS + "http: {listen: \"127.0.0.1:9299\"}\n"));
    assertThat(told).isEmpty();
    assertThat(inForce.state().restartKeys()).containsExactly("http.listen");
    assertThat(inForce.state().policy()).isEqualTo(policy(SEEDS));
    inForce.reload(read(SEEDS));
    assertThat(inForce.state().restartKeys()).isEmpty();
  }

  @Test
  void keepTheValidConfigurationAndReportEveryProblem() {
    inForce.reload(read(SEEDS + "routing: {algorithm: c3}\n"));
    inForce.reload(read(SEEDS + "routing: {algorithm: fastest, score-jitter-ratio: 7}\n"));
    assertThat(inForce.state().problems()).hasSize(2);
    assertThat(inForce.state().policy().routing().algorithm())
        .isEqualTo(RoutingPolicy.Algorithm.C3);
    assertThat(inForce.rejectedCount()).isOne();
    assertThat(told).hasSize(1);
    inForce.reload(read(SEEDS));
    assertThat(inForce.state().problems()).isEmpty();
  }

  /** A part with a visible value, which fails on request. */
  private static final class FailingPart implements ReloadablePart {
    private int value;
    private boolean failsInPrepare;
    private boolean failsInCommit;

    @Override
    public Change prepare(GatewayPolicy running, GatewayPolicy next) {
      if (failsInPrepare) {
        throw new IllegalStateException("can't prepare");
      }
      return new Change() {
        @Override
        public void commit() {
          value = next.admission().maxInFlight();
          if (failsInCommit) {
            throw new StackOverflowError("can't commit");
          }
        }

        @Override
        public void revert() {
          value = running.admission().maxInFlight();
        }
      };
    }
  }

  private record Retry(Duration delay, Runnable action) {}

  @Test
  void changeNothingWhenAPartCannotBePrepared() {
    FailingPart first = new FailingPart();
    FailingPart second = new FailingPart();
    second.failsInPrepare = true;
    List<Retry> retries = new ArrayList<>();
    ActivePolicy wired = reloading(retries, first, second);
    GatewayPolicy before = wired.state().policy();

    wired.reload(read(SEEDS + "admission: {max-in-flight: 7}\n"));

    assertThat(first.value).as("nothing is committed").isZero();
    assertThat(wired.state().policy()).isSameAs(before);
    assertThat(wired.state().problems()).singleElement().asString().contains("can't prepare");
    assertThat(wired.appliedCount()).isZero();
    assertThat(wired.rejectedCount()).isOne();
    assertThat(retries).extracting(Retry::delay).containsExactly(Duration.ofSeconds(1));
  }

  @Test
  void revertCommittedPartsWhenALaterOneFails() {
    FailingPart first = new FailingPart();
    FailingPart second = new FailingPart();
    second.failsInCommit = true;
    List<Retry> retries = new ArrayList<>();
    ActivePolicy wired = reloading(retries, first, second);
    int before = wired.state().policy().admission().maxInFlight();

    wired.reload(read(SEEDS + "admission: {max-in-flight: 7}\n"));

    assertThat(first.value).isEqualTo(before);
    assertThat(second.value).as("it failed halfway").isEqualTo(before);
    assertThat(wired.state().policy().admission().maxInFlight()).isEqualTo(before);
    assertThat(wired.state().problems()).singleElement().asString().contains("can't commit");
  }

  @Test
  void tryAFailedReloadAgainAtLongerIntervals() {
    FailingPart part = new FailingPart();
    part.failsInPrepare = true;
    List<Retry> retries = new ArrayList<>();
    ActivePolicy wired = reloading(retries, part);
    wired.reload(read(SEEDS + "admission: {max-in-flight: 7}\n"));
    for (int i = 0; i < 7; i++) {
      retries.getLast().action().run();
    }
    assertThat(retries)
        .extracting(retry -> retry.delay().toSeconds())
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);

    part.failsInPrepare = false;
    retries.getLast().action().run();

    assertThat(part.value).isEqualTo(7);
    assertThat(wired.state().policy().admission().maxInFlight()).isEqualTo(7);
    assertThat(wired.state().problems()).isEmpty();
    assertThat(retries).as("no further retry").hasSize(8);
  }

  @Test
  void giveUpARetryWhenTheFileChanges() {
    FailingPart part = new FailingPart();
    part.failsInPrepare = true;
    List<Retry> retries = new ArrayList<>();
    ActivePolicy wired = reloading(retries, part);
    wired.reload(read(SEEDS + "admission: {max-in-flight: 7}\n"));
    part.failsInPrepare = false;
    wired.reload(read(SEEDS + "admission: {max-in-flight: 8}\n"));

    retries.getFirst().action().run();

    assertThat(part.value).isEqualTo(8);
    assertThat(wired.state().policy().admission().maxInFlight()).isEqualTo(8);
  }

  private static ActivePolicy reloading(List<Retry> retries, ReloadablePart... parts) {
    return new ActivePolicy(
        loaded(SEEDS),
        List.of(parts),
        (delay, action) -> retries.add(new Retry(delay, action)),
        outcome -> {});
  }
}

package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.FileValues;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.TenantsPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.SwitchingSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PolicyInForceTest {
  private static final String SEEDS = "clusters: {main: {seeds: [\"127.0.0.1:9300\"]}}\n";

  private final List<GatewayPolicy> told = new ArrayList<>();
  private final List<AdmissionPolicy> admitting = new ArrayList<>();
  private final PolicyInForce inForce = new PolicyInForce(loaded(SEEDS), admitting::add, told::add);

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
  void everyKeyTakesEffectOrNeedsARestart() {
    GatewayPolicy before = policy(SEEDS);
    Map<String, GatewayPolicy> changed = ChangedPolicies.of(before);
    assertThat(changed).hasSizeGreaterThan(100).containsKeys("http.listen", "routing.c3.alpha");
    changed.forEach((key, read) -> {
      List<AdmissionPolicy> admitted = new ArrayList<>();
      List<GatewayPolicy> heard = new ArrayList<>();
      PolicyInForce wired = new PolicyInForce(loaded(SEEDS), admitted::add, heard::add);
      wired.reload(new LoadResult.Loaded(read, FileValues.NONE));
      GatewayPolicy now = wired.state().policy();
      if (wired.state().pending().isEmpty()) {
        assertThat(now).as(key).isEqualTo(read).isNotEqualTo(before);
        assertThat(heard).as(key).containsExactly(read);
        boolean admits = !read.admission().equals(before.admission());
        assertThat(admitted).as(key).isEqualTo(admits ? List.of(read.admission()) : List.of());
      } else {
        assertThat(wired.state().pending()).containsExactly(key);
        assertThat(now).as(key).isEqualTo(before);
        assertThat(heard).as(key).isEmpty();
      }
    });
  }

  @Test
  void whatCameFromAFileStaysHiddenWhileItRuns() {
    FileValues fromFile = new FileValues(Set.of("http.max-connections"), Set.of());
    PolicyInForce wired =
        new PolicyInForce(
            new LoadResult.Loaded(policy(SEEDS), fromFile), admitting::add, told::add);
    assertThat(wired.state().hidden()).containsExactly("http.max-connections");
    wired.reload(read(SEEDS + "http: {max-connections: 5}\n"));
    assertThat(wired.state().pending()).containsExactly("http.max-connections");
    assertThat(wired.state().hidden()).containsExactly("http.max-connections");
  }

  @Test
  void routingTakesEffectAtOnce() {
    inForce.reload(read(SEEDS + "routing: {policy: c3}\n"));
    assertThat(told)
        .extracting(changed -> changed.routing().policy())
        .containsExactly(RoutingPolicy.Choice.C3);
    assertThat(inForce.state().policy().routing().policy()).isEqualTo(RoutingPolicy.Choice.C3);
    assertThat(inForce.state().pending()).isEmpty();
    assertThat(inForce.applied()).isOne();
  }

  @Test
  void whatAnswersLookLikeTakesEffectAtOnce() {
    List<GatewayPolicy> shaping = new ArrayList<>();
    PolicyInForce wired = new PolicyInForce(loaded(SEEDS), admitting::add, shaping::add);
    wired.reload(read(SEEDS + "responses: {trimming: {profiles: {lean: {drop: [shards]}}}}\n"));
    assertThat(shaping)
        .singleElement()
        .satisfies(
            now -> assertThat(now.responses().trimming().profiles()).containsOnlyKeys("lean"));
    assertThat(wired.state().pending()).isEmpty();
    wired.reload(read(SEEDS + "search: {time-pruning: {indices: [\"logs-*\"]}}\n"));
    assertThat(shaping.getLast().search().timePruning().indices()).containsExactly("logs-*");
    assertThat(shaping.getLast().search().timePruning().timeFields()).containsExactly("@timestamp");
    assertThat(wired.state().pending()).isEmpty();
    wired.reload(read(SEEDS + "http: {compression: {level: 5}}\n"));
    assertThat(wired.state().pending()).containsExactly("http.compression.level");
  }

  @Test
  void changedThreadsStandInForNodesThatDoNotSay() {
    RoutingPolicy before = policy(SEEDS).routing();
    NodeLoadTracker loads = new NodeLoadTracker(before, () -> 0, new Random(1));
    SwitchingSelector selector = new SwitchingSelector(loads, before, () -> 0, new Random(1));
    PolicyInForce wired =
        new PolicyInForce(
            loaded(SEEDS), admitting::add, changed -> selector.use(changed.routing()));
    loads.threads("says", Phase.QUERY, 7);
    assertThat(threads(selector, "silent")).isEqualTo(13);
    assertThat(threads(selector, "says")).isEqualTo(7);

    wired.reload(read(SEEDS + "routing: {adaptive: {threads: 4}}\n"));
    assertThat(threads(selector, "silent")).isEqualTo(4);
    assertThat(threads(selector, "says")).isEqualTo(7);
    assertThat(wired.state().pending()).isEmpty();
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
  void admissionTakesEffectAtOnceButForTheAmountsOfMemory() {
    ByteSize before = policy(SEEDS).admission().maxBodyBytes();
    inForce.reload(
        read(SEEDS + "admission: {max-in-flight: 7, max-body-bytes: 3mb, tenants: {by: user}}\n"));
    AdmissionPolicy now = admitting.getFirst();
    assertThat(now.maxInFlight()).isEqualTo(7);
    assertThat(now.tenants().by()).isEqualTo(TenantsPolicy.By.USER);
    assertThat(now.maxBodyBytes()).isEqualTo(before);
    assertThat(inForce.state().policy().admission()).isEqualTo(now);
    assertThat(inForce.state().pending()).containsExactly("admission.max-body-bytes");
    inForce.reload(read(SEEDS + "admission: {max-in-flight: none, tenants: {by: header}}\n"));
    assertThat(admitting).hasSize(1);
    assertThat(inForce.state().policy().admission()).isEqualTo(now);
  }

  @Test
  void namesWhatNeedsARestart() {
    inForce.reload(read(SEEDS + "http: {listen: \"127.0.0.1:9299\"}\n"));
    assertThat(told).isEmpty();
    assertThat(inForce.state().pending()).containsExactly("http.listen");
    assertThat(inForce.state().policy()).isEqualTo(policy(SEEDS));
    inForce.reload(read(SEEDS));
    assertThat(inForce.state().pending()).isEmpty();
  }

  @Test
  void keepsTheLastGoodOneAndEveryProblemOfTheBadOne() {
    inForce.reload(read(SEEDS + "routing: {policy: c3}\n"));
    inForce.reload(read(SEEDS + "routing: {policy: fastest, jitter: 7}\n"));
    assertThat(inForce.state().problems()).hasSize(2);
    assertThat(inForce.state().policy().routing().policy()).isEqualTo(RoutingPolicy.Choice.C3);
    assertThat(inForce.refused()).isOne();
    assertThat(told).hasSize(1);
    inForce.reload(read(SEEDS));
    assertThat(inForce.state().problems()).isEmpty();
  }
}

package dev.weir.config.load;

import static dev.weir.config.load.PolicyTexts.SMALLEST;
import static dev.weir.config.load.PolicyTexts.loaded;
import static dev.weir.config.load.PolicyTexts.onlyMessage;
import static dev.weir.config.load.PolicyTexts.problems;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.TenantsPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The keys about tenants, rate limits and the queue. */
final class AdmissionPolicyTest {
  @Test
  void readTenantRules() {
    TenantsPolicy tenants =
        loaded(
                SMALLEST
                    + "admission: {tenants: {source: header, header: X-Tenant, "
                    + "weights: {gold: 4, a.b: 0.5}}}\n")
            .admission()
            .tenants();
    assertThat(tenants.source()).isEqualTo(TenantsPolicy.TenantSource.HEADER);
    assertThat(tenants.weights()).isEqualTo(Map.of("gold", 4.0, "a.b", 0.5));
    assertThat(loaded(SMALLEST).admission().tenants()).isEqualTo(TenantsPolicy.none());
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: {source: header}}\n"))
        .contains(":4:22: got none (expected: the name of a header, such as X-Tenant)");
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: {source: user, header: \"a b\"}}\n"))
        .contains("got 'a b' (expected: the name of a header");
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: {source: user, weights: {gold: 0}}}\n"))
        .contains("got 0.0 (expected: 0.01 to 1000): admission.tenants.weights.gold");
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: {weights: {gold: [4]}}}\n"))
        .contains("got a list (expected: one value): admission.tenants.weights.gold");
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: {weights: [4]}}\n"))
        .contains("expected: keys and values");
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: {source: indx}}\n"))
        .contains("did you mean 'index'?");
  }

  private static String paced(String rules) {
    return SMALLEST
        + "admission:\n  pacing:\n    rules:\n"
        + rules.indent(6)
        + "  tenants: {source: user}\n";
  }

  @Test
  void readsAListOfRules() {
    PacingPolicy pacing =
        loaded(
                paced(
                    """
                      - name: gold
                        tenants: [gold]
                        actions: [search, bulk]
                        limit-by: client-address
                        requests-per-second: 2.5
                        max-delay: 200ms
                      - {name: logs, indices: ["logs-*"], bytes-per-second: 1mb, dry-run: true}
                    """))
            .admission()
            .pacing();
    assertThat(pacing.maxKeys()).isEqualTo(10_000);
    PacingPolicy.Rule gold = pacing.rules().getFirst();
    assertThat(gold.name()).isEqualTo("gold");
    assertThat(gold.actions())
        .containsExactly(PacingPolicy.Action.SEARCH, PacingPolicy.Action.BULK);
    assertThat(gold.limitBy()).isEqualTo(PacingPolicy.LimitKey.CLIENT_ADDRESS);
    assertThat(gold.effectiveBurstRequests()).isEqualTo(2.5);
    assertThat(gold.maxDelay()).isEqualTo(Duration.ofMillis(200));
    PacingPolicy.Rule logs = pacing.rules().getLast();
    assertThat(logs.effectiveBurstBytes()).isEqualTo(1 << 20);
    assertThat(logs.dryRun()).isTrue();
    assertThat(loaded(SMALLEST).admission().pacing()).isEqualTo(PacingPolicy.none());
  }

  @Test
  void reportsEveryProblemOfEveryRuleAtItsPlace() {
    List<ConfigurationProblem> problems =
        problems(
            paced(
                """
                  - name: a b
                    requests-per-second: 1
                  - name: twice
                    methods: [FETCH]
                  - {name: twice, limit-by: tenants, bytes-per-second: 1}
                  - 7
                  - requests-per-secnd: 5
                """));
    assertThat(problems)
        .extracting(problem -> problem.line() + ":" + problem.column())
        .containsExactly("11:35", "11:62", "12:11", "13:11", "13:11");
    assertThat(problems)
        .extracting(ConfigurationProblem::message)
        .anySatisfy(message ->
            assertThat(message).contains("expected: keys and values").contains("rules[3]"))
        .anySatisfy(message -> assertThat(message).contains("got unknown key 'requests-per-secnd'"))
        .anySatisfy(message -> assertThat(message).contains("no 'admission.pacing.rules[4].name'"));
    assertThat(
            problems(
                paced(
                    """
                      - name: a b
                        requests-per-second: 1
                      - name: twice
                        methods: [FETCH]
                      - {name: twice, bytes-per-second: 1mb}
                      - {name: more, requests-per-second: 1, count-response-bytes: true}
                    """)))
        .extracting(ConfigurationProblem::message)
        .containsExactly(
            "got 'a b' (expected: 1 to 64 letters, digits, '.', '_' or '-'):"
                + " admission.pacing.rules[0].name",
            "got no rate (expected: requests-per-second or bytes-per-second over 0):"
                + " admission.pacing.rules[1]",
            "got 'FETCH' (expected: of GET, POST, PUT, DELETE, HEAD, OPTIONS, PATCH, TRACE,"
                + " CONNECT): admission.pacing.rules[1].methods",
            "got 'twice' twice (expected: each rule its own): admission.pacing.rules[2].name",
            "got no bytes-per-second (expected: over 0):"
                + " admission.pacing.rules[3].count-response-bytes");
  }

  @Test
  void refuseKeysOfTenantsThatNothingTellsApart() {
    String pacing =
        """
        admission:
          pacing:
            rules:
              - {name: gold, tenants: ["gold-*"], requests-per-second: 50}
              - {name: each, limit-by: tenant, requests-per-second: 50}
          tenants: {weights: {gold: 4}%s}
        """;
    String trimming =
        """
        responses:
          trimming:
            profiles: {lean: {drop: [shards]}}
            rules: [{profile: lean, tenants: [reports]}]
        """;
    assertThat(problems(SMALLEST + pacing.formatted("") + trimming))
        .extracting(problem -> problem.line() + ":" + problem.column() + " " + problem.message())
        .containsExactly(
            "7:31 got tenants while admission.tenants tells none apart (expected: with"
                + " admission.tenants.source): admission.pacing.rules[0].tenants",
            "8:32 got tenant while admission.tenants tells none apart (expected: with"
                + " admission.tenants.source, or all, index, client-address):"
                + " admission.pacing.rules[1].limit-by",
            "9:22 got weights while admission.tenants tells none apart (expected: with"
                + " admission.tenants.source): admission.tenants.weights",
            "13:38 got tenants while admission.tenants tells none apart (expected: with"
                + " admission.tenants.source): responses.trimming.rules[0].tenants");
    loaded(SMALLEST + pacing.formatted(", source: client-address") + trimming);
    assertThat(onlyMessage(SMALLEST + pacing.formatted(", source: usr") + trimming))
        .contains("did you mean 'user'?");
    assertThat(onlyMessage(SMALLEST + "admission: {tenants: user}\n" + trimming))
        .contains("got the value 'user' (expected: keys and values)");
  }

  @Test
  void refuseAnUpperBoundBelowTheLowerOne() {
    String queue = SMALLEST + "admission: {queue: {";
    assertThat(onlyMessage(queue + "max-in-flight-per-node: 1}}\n"))
        .contains("4:45: got 1 (expected: at least min-in-flight-per-node, 2)")
        .contains("admission.queue.max-in-flight-per-node");
    assertThat(onlyMessage(queue + "min-in-flight-per-node: 2000}}\n"))
        .contains("got 1000 (expected: at least min-in-flight-per-node, 2000)");
    loaded(queue + "min-in-flight-per-node: 1, max-in-flight-per-node: 1}}\n");
  }
}

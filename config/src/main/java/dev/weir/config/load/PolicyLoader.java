package dev.weir.config.load;

import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.TenantsPolicy;
import dev.weir.config.policy.TrimmingPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads a configuration. Keeps no state between calls. */
public final class PolicyLoader {
  private static final int MAX_FILE_BYTES = 4 << 20;

  private final PlaceholderResolver environment;

  /**
   * Creates a loader.
   *
   * @param environment the variables for {@code ${NAME}}
   */
  public PolicyLoader(Map<String, String> environment) {
    this.environment = new PlaceholderResolver(Map.copyOf(environment));
  }

  public LoadResult load(Path file) {
    String name = file.toString();
    String text;
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        return invalid(name, "got " + Files.size(file) + " bytes (expected: at most 4 MB)", "");
      }
      text = Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      String got = Files.exists(file) ? "what can't be read as UTF-8 text" : "no such file";
      return invalid(name, "got " + got + " (expected: a YAML file)", "");
    }
    return parse(name, text);
  }

  /**
   * Reads a configuration from text.
   *
   * @param name the text's name in messages
   */
  public LoadResult parse(String name, String text) {
    ProblemCollector problems = new ProblemCollector(name, text);
    Node root = compose(name, text, problems);
    if (!problems.isEmpty()) {
      return problems.toInvalid();
    }
    if (root == null) {
      return invalid(name, "got an empty file (expected: at least 'clusters:')", "");
    }
    SectionBinder binder = new SectionBinder(problems, environment);
    GatewayPolicy policy = binder.bind(GatewayPolicy.class, root, "");
    if (policy != null) {
      validateCombinations(policy, binder);
    }
    return policy != null && problems.isEmpty()
        ? new LoadResult.Loaded(policy, binder.fileReferences())
        : new LoadResult.Invalid(problems.sorted(), binder.fileReferences());
  }

  private static @Nullable Node compose(String name, String text, ProblemCollector problems) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(name)
            .setUseMarks(true)
            .setCodePointLimit(MAX_FILE_BYTES)
            .build();
    try {
      Iterator<Node> documents = new Compose(settings).composeAllFromString(text).iterator();
      Node first = documents.hasNext() ? documents.next() : null;
      if (documents.hasNext()) {
        problems.report(documents.next(), "got a second document (expected: one document)", "");
      }
      return first;
    } catch (MarkedYamlEngineException e) {
      problems.report(
          e.getProblemMark().or(e::getContextMark),
          1,
          "got no YAML: " + e.getProblem() + " (expected: YAML 1.2)",
          unclosedStart(e, text));
    } catch (YamlEngineException e) {
      problems.reportForFile("got no YAML: " + e.getMessage() + " (expected: YAML 1.2)", "");
    }
    return null;
  }

  /** Returns where an unclosed bracket or quote begins. */
  private static String unclosedStart(MarkedYamlEngineException e, String text) {
    Mark at = e.getProblemMark().orElse(null);
    Mark began = e.getContextMark().orElse(null);
    if (at != null && text.lines().skip(at.getLine()).findFirst().orElse("").contains("${")) {
      return "within {...} and [...] write \"${NAME}\" with quotes";
    }
    return at == null || began == null || began.getLine() == at.getLine()
        ? ""
        : "look at what begins at line "
            + (began.getLine() + 1)
            + ", column "
            + (began.getColumn() + 1);
  }

  private static void validateCombinations(GatewayPolicy policy, SectionBinder binder) {
    if (policy.http().listen().port() == 0 && policy.http().reusePort()) {
      binder.report(
          "http.reuse-port", "got true with a port that is any free one (expected: one to share)");
    }
    if (policy
            .routing()
            .health()
            .maxEjectionTime()
            .compareTo(policy.routing().health().baseEjectionTime())
        < 0) {
      binder.report(
          "routing.health.max-ejection-time",
          "got less than base-ejection-time (expected: at least base-ejection-time)");
    }
    List<HostPort> gateways = policy.http().sniffing().gatewayAddresses();
    for (int i = 0; i < gateways.size(); i++) {
      if (gateways.get(i).port() == 0) {
        binder.report(
            "http.sniffing.gateway-addresses[" + i + "]",
            "got port 0 (expected: a gateway's REST port, such as 9200)");
      }
    }
    validateProxies(policy.http(), binder);
    TlsPolicyValidator.validateHttp(policy.http(), binder);
    AdminPolicyValidator.validate(policy, binder);
    AdmissionPolicyValidator.validate(policy.admission(), binder);
    BulkPolicyValidator.validate(policy.bulk(), binder);
    TenantsPolicy tenants = policy.admission().tenants();
    TrimmingPolicy trimming = policy.responses().trimming();
    TrimmingPolicyValidator.validate("responses.trimming", trimming, tenants, binder);
    policy
        .policies()
        .forEach((name, own) -> {
          if (!own.trimming().equals(trimming)) {
            TrimmingPolicyValidator.validate(
                "policies." + name + ".trimming", own.trimming(), tenants, binder);
          }
        });
    SecretLengthValidator.validate(
        "responses.export.cursor-secret", policy.responses().export().cursorSecret(), binder);
    TracesPolicyValidator.validate(policy.observability().traces(), binder);
    NeutralHeaderValidator.validate(policy, binder);
    new TrafficPolicyValidator(policy, binder).validate();
    policy
        .clusters()
        .forEach((name, cluster) -> {
          validateCluster("clusters." + name, cluster, binder);
          AuthorizationValidator.validate(
              "clusters." + name, cluster, policy.http().listen(), binder);
        });
  }

  private static void validateProxies(HttpPolicy http, SectionBinder binder) {
    for (int i = 0; i < http.trustedProxies().size(); i++) {
      String network = http.trustedProxies().get(i);
      if (!NameRules.isAddressOrNetwork(network)) {
        binder.report(
            "http.trusted-proxies[" + i + "]",
            "got '" + network + "' (expected: an address or a network, such as 10.1.0.0/16)");
      }
    }
    if (http.proxyProtocolEnabled() && http.trustedProxies().isEmpty()) {
      binder.report(
          "http.proxy-protocol-enabled",
          "got true without a proxy that may use it (expected: its address in trusted-proxies)");
    }
    for (int i = 0; i < http.identityHeaders().size(); i++) {
      TlsPolicyValidator.validateHeader(
          "http.identity-headers[" + i + "]", http.identityHeaders().get(i), binder);
    }
  }

  private static void validateCluster(String path, ClusterPolicy cluster, SectionBinder binder) {
    for (int i = 0; i < cluster.seeds().size(); i++) {
      if (cluster.seeds().get(i).port() == 0) {
        binder.report(
            path + ".seeds[" + i + "]",
            "got port 0 (expected: a node's transport port, such as 9300)");
      }
    }
    for (int i = 0; i < cluster.restNetworks().size(); i++) {
      String network = cluster.restNetworks().get(i);
      if (!NameRules.isNetwork(network)) {
        binder.report(
            path + ".rest-networks[" + i + "]",
            "got '" + network + "' (expected: a network, such as 10.1.0.0/16 or fd00::/8)");
      }
    }
    TlsPolicyValidator.validateCluster(path, cluster, binder);
  }

  private static LoadResult.Invalid invalid(String name, String message, String hint) {
    ProblemCollector problems = new ProblemCollector(name, "");
    problems.reportForFile(message, hint);
    return problems.toInvalid();
  }
}

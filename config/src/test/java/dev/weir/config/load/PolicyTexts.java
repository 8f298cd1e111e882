package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import java.util.List;
import java.util.Map;

/** Loads configurations from texts. */
final class PolicyTexts {
  static final String SMALLEST =
      """
      clusters:
        main:
          seeds: ["127.0.0.1:9301"]
      """;

  private PolicyTexts() {}

  static LoadResult parse(String text) {
    return new PolicyLoader(Map.of("SEED", "10.0.0.7:9300", "EMPTY", "")).parse("weir.yaml", text);
  }

  /** Returns the configuration of a text that must be valid. */
  static GatewayPolicy loaded(String text) {
    return switch (parse(text)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid refused -> throw new AssertionError(refused.render());
    };
  }

  /** Returns the problems of a text that must be invalid. */
  static List<ConfigurationProblem> problems(String text) {
    LoadResult result = parse(text);
    assertThat(result).isInstanceOf(LoadResult.Invalid.class);
    return ((LoadResult.Invalid) result).problems();
  }

  /** Returns the message of a text that must have one problem. */
  static String onlyMessage(String text) {
    List<ConfigurationProblem> problems = problems(text);
    assertThat(problems).hasSize(1);
    return problems.getFirst().render();
  }
}

package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import java.util.List;

/** The result of reading a configuration. */
public sealed interface LoadResult {
  /** Returns the values that come from other files. */
  FileReferences fileReferences();

  /** A valid configuration. */
  record Loaded(GatewayPolicy policy, FileReferences fileReferences) implements LoadResult {}

  /**
   * An invalid configuration.
   *
   * @param problems the problems found, about 100 at most, in the order of the file; never empty
   */
  record Invalid(List<ConfigurationProblem> problems, FileReferences fileReferences)
      implements LoadResult {
    /** Renders all problems as text, with their number at the end. */
    public String render() {
      StringBuilder text = new StringBuilder();
      problems.forEach(problem -> text.append(problem.render()).append('\n'));
      return text.append(problems.size() == 1 ? "1 problem" : problems.size() + " problems")
          .append('\n')
          .toString();
    }
  }
}

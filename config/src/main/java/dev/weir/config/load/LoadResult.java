package dev.weir.config.load;

import dev.weir.config.policy.GatewayPolicy;
import java.util.List;

/** What came of reading a configuration. */
public sealed interface LoadResult {
  /** What of it is kept in other files. */
  FileReferences fileReferences();

  /** It can be used. */
  record Loaded(GatewayPolicy policy, FileReferences fileReferences) implements LoadResult {}

  /**
   * It can't be used.
   *
   * @param problems every problem found, in the order of the file; never empty
   */
  record Invalid(List<ConfigurationProblem> problems, FileReferences fileReferences)
      implements LoadResult {
    /** All problems as text for a person, with a closing count. */
    public String render() {
      StringBuilder text = new StringBuilder();
      problems.forEach(problem -> text.append(problem.render()).append('\n'));
      return text.append(problems.size() == 1 ? "1 problem" : problems.size() + " problems")
          .append('\n')
          .toString();
    }
  }
}

package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.client.JsonReader;
import dev.weir.client.JsonTree;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** A restart or a window that has begun and not ended: its journal is in the cluster's settings. */
public final class UnfinishedOperationCheck implements Check {
  private static final String JOURNAL = "cluster.metadata.weir.operation";
  private static final String RESUME_OR_ABORT =
      "--resume goes on, and --abort instead gives settings and weights back as they were.";

  @Override
  public String name() {
    return "unfinished-operation";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    if (!isUnderWay(snapshot)) {
      return List.of();
    }
    return List.of(
        new Finding(
            name(),
            Severity.PROBLEM,
            JOURNAL,
            "the journal of an operation that has not ended (expected: none)",
            "Until it ends, allocation may be off and nodes drained, and every other operation is"
                + " refused.",
            mend(journal(snapshot))));
  }

  /** The command that the operation's journal allows; its text is another program's. */
  private static Mend mend(String text) {
    JsonTree journal;
    try {
      journal = JsonReader.readObject(text);
    } catch (IOException e) {
      journal = JsonTree.MISSING;
    }
    String step = journal.text("step");
    if (step.isEmpty()) {
      return command(
          "The journal can't be read. If --abort can't read it either, use the version of Weir that"
              + " began the operation.",
          "--abort");
    }
    if (step.equals("abort")) {
      return command(
          "It was aborted in part, so it can't go on. --abort gives back the rest.", "--abort");
    }
    if (journal.text("command_sha256").isEmpty()) {
      return command(RESUME_OR_ABORT, "--resume");
    }
    return command(
        RESUME_OR_ABORT + " --resume needs the text of --exec that the operation began with.",
        "--resume --exec 'THE SAME COMMAND'");
  }

  private static Mend command(String note, String options) {
    return Mend.of(
            "First see that its command does not run any more, and go to where the gateway's"
                + " configuration is. "
                + note)
        .with(new MendStep.Command("weir rolling-restart --config weir.yaml " + options));
  }

  /**
   * Returns whether an operation is unfinished. What it has changed is then no finding: its end
   * gives it back.
   */
  static boolean isUnderWay(ClusterSnapshot snapshot) {
    return !journal(snapshot).isEmpty();
  }

  private static String journal(ClusterSnapshot snapshot) {
    return snapshot.settings().persistent().getOrDefault(JOURNAL, "");
  }
}

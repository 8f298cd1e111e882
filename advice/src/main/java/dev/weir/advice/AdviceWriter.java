package dev.weir.advice;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.MendStep;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes advice for people and for programs.
 *
 * @param commands writes the steps
 */
public record AdviceWriter(CommandFormatter commands) {
  /** Returns text for a terminal. */
  public String toText(Advice advice) {
    StringBuilder text = new StringBuilder();
    for (Finding finding : advice.findings()) {
      text.append(severity(finding).toUpperCase(Locale.ROOT))
          .append("  ")
          .append(finding.check())
          .append("  ")
          .append(finding.subject())
          .append("\n  found:  ")
          .append(finding.figure())
          .append("\n  why:    ")
          .append(finding.reason())
          .append('\n');
      if (!finding.mend().note().isEmpty()) {
        text.append("  mend:   ").append(finding.mend().note()).append('\n');
      }
      for (MendStep step : finding.mend().steps()) {
        if (!(step instanceof MendStep.Call)) {
          text.append("    in ").append(CommandFormatter.place(step)).append(":\n");
        }
        text.append("    ").append(commands.format(step)).append('\n');
      }
      text.append('\n');
    }
    advice
        .omitted()
        .forEach((check, count) ->
            text.append(check).append(": ").append(count).append(" more, no worse than these\n"));
    advice
        .notRun()
        .forEach((check, why) ->
            text.append("not run: ").append(check).append(": ").append(why).append('\n'));
    return text.append(advice.checks())
        .append(" checks, ")
        .append(advice.findings().size())
        .append(" findings\n")
        .toString();
  }

  /** Returns a tree of maps, lists, numbers and text for JSON. */
  public Map<String, Object> toTree(Advice advice) {
    List<Object> findings = new ArrayList<>();
    for (Finding finding : advice.findings()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("check", finding.check());
      row.put("severity", severity(finding));
      row.put("subject", finding.subject());
      row.put("figure", finding.figure());
      row.put("reason", finding.reason());
      row.put("note", finding.mend().note());
      List<Object> steps = new ArrayList<>();
      for (MendStep step : finding.mend().steps()) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("in", CommandFormatter.place(step));
        shown.put("text", commands.format(step));
        steps.add(shown);
      }
      row.put("mend", steps);
      findings.add(row);
    }
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("checks", advice.checks());
    tree.put("findings", findings);
    tree.put("omitted", advice.omitted());
    tree.put("not_run", advice.notRun());
    return tree;
  }

  private static String severity(Finding finding) {
    return finding.severity().name().toLowerCase(Locale.ROOT);
  }
}

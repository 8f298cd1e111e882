package dev.weir.it.docs;

import java.util.ArrayList;
import java.util.List;

/**
 * A command in a document.
 *
 * @param where the block that contains it
 * @param text as a shell parses it
 * @param answer the output in the document; empty if it shows none
 */
record ShellCommand(String where, String text, String answer) {
  private static final String PROMPT = "$ ";

  static boolean isIn(MarkdownDoc.Block block) {
    return block.tag().equals("sh") || block.tag().equals("console");
  }

  /**
   * Returns the commands of a block: all lines of {@code sh}, lines after a prompt in {@code
   * console}.
   */
  static List<ShellCommand> of(MarkdownDoc.Block block) {
    boolean prompted = block.tag().equals("console");
    List<ShellCommand> commands = new ArrayList<>();
    StringBuilder command = new StringBuilder();
    StringBuilder answer = new StringBuilder();
    boolean begun = false;
    for (String line : block.text().lines().toList()) {
      boolean prompt = line.startsWith(PROMPT);
      if (begun) {
        command.append('\n').append(line);
      } else if (prompted && !prompt) {
        answer.append(line).append('\n');
        continue;
      } else if (line.isBlank() || line.strip().startsWith("#")) {
        continue;
      } else {
        add(commands, block, command, answer);
        command.append(prompted ? line.substring(PROMPT.length()) : line);
      }
      begun = !whole(command);
    }
    add(commands, block, command, answer);
    return commands;
  }

  private static void add(
      List<ShellCommand> commands,
      MarkdownDoc.Block block,
      StringBuilder command,
      StringBuilder answer) {
    if (!command.isEmpty()) {
      commands.add(new ShellCommand(block.where(), command.toString(), answer.toString()));
    } else if (!answer.isEmpty()) {
      throw new IllegalArgumentException(block.where() + ": got an answer before a command");
    }
    command.setLength(0);
    answer.setLength(0);
  }

  /** Returns whether no quote is open, and the line has no continuation. */
  private static boolean whole(CharSequence text) {
    char quote = 0;
    boolean comment = false;
    boolean escaped = false;
    char before = ' ';
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      if (at == '\n') {
        comment = false;
        escaped = false;
      } else if (escaped) {
        escaped = false;
      } else if (!comment && at == '\\' && quote != '\'') {
        escaped = true;
      } else if (!comment && quote != 0) {
        quote = at == quote ? 0 : quote;
      } else if (!comment && (at == '\'' || at == '"')) {
        quote = at;
      } else if (!comment && at == '#' && Character.isWhitespace(before)) {
        comment = true;
      }
      before = at;
    }
    String end = text.toString().strip();
    return quote == 0 && !escaped && !end.endsWith("|") && !end.endsWith("&&");
  }
}

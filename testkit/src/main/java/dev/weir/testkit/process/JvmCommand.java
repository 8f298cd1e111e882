package dev.weir.testkit.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a child JVM is started; it is of the same kind as the running one.
 *
 * @param name what it is, for messages
 * @param arguments everything after {@code java}
 */
public record JvmCommand(String name, List<String> arguments) {
  public JvmCommand {
    arguments = List.copyOf(arguments);
  }

  /**
   * A command with a class path.
   *
   * @param classPath where its classes are
   * @param jvmOptions options of the virtual machine
   * @param mainClass the class whose main method runs
   * @param arguments what the main method is given
   */
  public static JvmCommand of(
      ClassPath classPath, List<String> jvmOptions, String mainClass, List<String> arguments) {
    List<String> words = new ArrayList<>(jvmOptions);
    words.add("-cp");
    words.add(classPath.joined());
    words.add(mainClass);
    words.addAll(arguments);
    return new JvmCommand(mainClass, words);
  }

  /**
   * A command whose options, class path and main class are in an argument file.
   *
   * @param file what {@code java @file} reads
   * @param arguments what the main method is given
   */
  public static JvmCommand ofArgumentFile(Path file, List<String> arguments) {
    List<String> words = new ArrayList<>();
    words.add("@" + file);
    words.addAll(arguments);
    return new JvmCommand(file.toString(), words);
  }

  /** The command line, word by word. */
  List<String> commandLine() {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(arguments);
    return line;
  }
}

package dev.weir.testkit.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a child JVM is started; it is of the same kind as the running one.
 *
 * @param classPath where its classes are
 * @param jvmOptions options of the virtual machine
 * @param mainClass the class whose main method runs
 * @param arguments what the main method is given
 */
public record JvmCommand(
    ClassPath classPath, List<String> jvmOptions, String mainClass, List<String> arguments) {
  /** Copies the lists. */
  public JvmCommand {
    jvmOptions = List.copyOf(jvmOptions);
    arguments = List.copyOf(arguments);
  }

  /** The command line, word by word. */
  List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(jvmOptions);
    words.add("-cp");
    words.add(classPath.joined());
    words.add(mainClass);
    words.addAll(arguments);
    return words;
  }
}

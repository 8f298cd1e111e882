package dev.weir.it.yaml;

import java.net.URI;

/**
 * Runs the suite, or a part of it, against a base URL and prints the result of each test that did
 * not pass: {@code YamlSuiteMain URL [PREFIX]}.
 */
final class YamlSuiteMain {
  private YamlSuiteMain() {}

  public static void main(String[] arguments) throws Exception {
    String prefix = arguments.length > 1 ? arguments[1] : "";
    YamlSuite suite = YamlSuite.load();
    int passed = 0;
    int skipped = 0;
    int failed = 0;
    try (YamlRestClient caller = new YamlRestClient(URI.create(arguments[0]))) {
      YamlRunner runner = new YamlRunner(caller, suite.apis(), "3.8.0");
      for (YamlTestCase test : suite.tests()) {
        if (!test.title().startsWith(prefix)) {
          continue;
        }
        switch (runner.run(test)) {
          case YamlRunner.Passed() -> passed++;
          case YamlRunner.Skipped(String why) -> skipped++;
          case YamlRunner.Failed(String step, String why) -> {
            failed++;
            System.out.println("FAILED " + test.title() + "\n  " + step + "\n  " + why);
          }
        }
      }
    }
    System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
  }
}

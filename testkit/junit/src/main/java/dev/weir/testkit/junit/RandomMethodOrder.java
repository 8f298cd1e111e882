package dev.weir.testkit.junit;

import java.util.Comparator;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/** Runs the test methods of a class in an order that the seed of the run decides. */
public final class RandomMethodOrder implements MethodOrderer {
  @Override
  public void orderMethods(MethodOrdererContext context) {
    context
        .getMethodDescriptors()
        .sort(
            Comparator.comparingLong(
                (MethodDescriptor each) -> TestSeed.mix(each.getMethod().toGenericString())));
  }
}

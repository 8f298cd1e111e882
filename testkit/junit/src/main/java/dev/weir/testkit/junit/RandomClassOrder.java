package dev.weir.testkit.junit;

import java.util.Comparator;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;

/** Runs test classes in an order that the seed of the run decides. */
public final class RandomClassOrder implements ClassOrderer {
  @Override
  public void orderClasses(ClassOrdererContext context) {
    // By a hash of each name and not by a shuffle: a run of fewer classes keeps their order.
    context
        .getClassDescriptors()
        .sort(
            Comparator.comparingLong(
                (ClassDescriptor each) -> TestSeed.mix(each.getTestClass().getName())));
  }
}

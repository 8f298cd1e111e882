/** What runs in a data node's own JVM. */
@NullMarked
package dev.weir.testkit.node;

import org.jspecify.annotations.NullMarked;

/** Real data nodes as child processes, a scripted fake node, and the differential comparer. */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;

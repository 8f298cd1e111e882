@NullMarked
package dev.weir.admission.head;

import org.jspecify.annotations.NullMarked;

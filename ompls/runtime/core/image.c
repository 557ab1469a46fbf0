/* image.c -- linked into every image of class `default`: what a kernel learns when it asks where it runs. */
int ompls_image_device_number; /* set by the core when the device opens (globals.c) */

int __wrap_omp_is_initial_device(void);
int __wrap_omp_get_device_num(void);

int __wrap_omp_is_initial_device(void) {
    return 0;
}

int __wrap_omp_get_device_num(void) {
    return ompls_image_device_number;
}

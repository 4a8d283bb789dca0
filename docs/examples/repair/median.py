def median(numbers):
    numbers = sorted(numbers)
    return numbers[len(numbers) // 2]

"""Operations become actions, actions become verdicts, verdicts become events."""
